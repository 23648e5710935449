"""The long tables of the invented shop: its currencies and its log."""

from __future__ import annotations

from datetime import datetime, timedelta

from .ids import Dice, hexes
from .kept import words

CURRENCIES = """
AED UAE dirham|2|AED|b
ALL Albanian lek|2|L|a
AMD Armenian dram|2|֏|a
ARS Argentine peso|2|AR$|b
AUD Australian dollar|2|A$|b
AZN Azerbaijani manat|2|₼|a
BAM Convertible mark|2|KM|a
BBD Barbados dollar|2|Bds$|b
BDT Bangladeshi taka|2|৳|b
BHD Bahraini dinar|3|BD|b
BND Brunei dollar|2|B$|b
BRL Brazilian real|2|R$|b
BWP Botswana pula|2|P|b
CAD Canadian dollar|2|CA$|b
CHF Swiss franc|2|CHF|b
CLP Chilean peso|0|CL$|b
CNY Chinese yuan|2|CN¥|b
COP Colombian peso|2|CO$|b
CRC Costa Rican colón|2|₡|b
CZK Czech koruna|2|Kč|a
DKK Danish krone|2|kr.|a
DOP Dominican peso|2|RD$|b
DZD Algerian dinar|2|DA|a
EGP Egyptian pound|2|E£|b
ETB Ethiopian birr|2|Br|b
EUR Euro|2|€|b
FJD Fiji dollar|2|FJ$|b
GBP Pound sterling|2|£|b
GEL Georgian lari|2|₾|a
GHS Ghanaian cedi|2|GH₵|b
GTQ Guatemalan quetzal|2|Q|b
HKD Hong Kong dollar|2|HK$|b
HUF Hungarian forint|2|Ft|a
IDR Indonesian rupiah|2|Rp|b
ILS Israeli shekel|2|₪|b
INR Indian rupee|2|₹|b
ISK Icelandic króna|0|kr|a
JMD Jamaican dollar|2|J$|b
JOD Jordanian dinar|3|JD|b
JPY Japanese yen|0|¥|b
KES Kenyan shilling|2|KSh|b
KRW South Korean won|0|₩|b
KWD Kuwaiti dinar|3|KD|b
KZT Kazakhstani tenge|2|₸|a
LKR Sri Lankan rupee|2|Rs|b
MAD Moroccan dirham|2|DH|a
MDL Moldovan leu|2|MDL|a
MKD Macedonian denar|2|den|a
MNT Mongolian tögrög|2|₮|b
MUR Mauritian rupee|2|Rs|b
MXN Mexican peso|2|MX$|b
MYR Malaysian ringgit|2|RM|b
NGN Nigerian naira|2|₦|b
NOK Norwegian krone|2|kr|a
NPR Nepalese rupee|2|Rs|b
NZD New Zealand dollar|2|NZ$|b
OMR Omani rial|3|OMR|b
PEN Peruvian sol|2|S/|b
PHP Philippine peso|2|₱|b
PLN Polish złoty|2|zł|a
PYG Paraguayan guaraní|0|₲|b
QAR Qatari riyal|2|QR|b
RON Romanian leu|2|lei|a
RSD Serbian dinar|2|din.|a
SEK Swedish krona|2|kr|a
SGD Singapore dollar|2|S$|b
THB Thai baht|2|฿|b
TND Tunisian dinar|3|DT|a
TRY Turkish lira|2|₺|b
TWD New Taiwan dollar|2|NT$|b
TZS Tanzanian shilling|2|TSh|b
UAH Ukrainian hryvnia|2|₴|a
UGX Ugandan shilling|0|USh|b
USD US dollar|2|$|b
UYU Uruguayan peso|2|$U|b
VND Vietnamese đồng|0|₫|a
XAF Central African franc|0|FCFA|a
XOF West African franc|0|CFA|a
ZAR South African rand|2|R|b
"""

HEAD = '''"""Every currency the shop can show, and how."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Currency:
    """One currency as customers know it."""

    code: str
    name: str
    digits: int
    symbol: str
    before: bool = True


CURRENCIES = {
'''

TAIL = '''}


def currency(code: str) -> Currency:
    """The currency of that code; ValueError for one that the shop does not know."""
    found = CURRENCIES.get(code)
    if found is None:
        raise ValueError(f"unknown currency: {code!r}")
    return found
'''


def currencies() -> str:
    """The text of `shop/currencies.py` as the session finds it."""
    rows = []
    for line in CURRENCIES.strip().splitlines():
        name, digits, symbol, side = line[4:].split("|")
        rows.append(
            f'    "{line[:3]}": Currency(\n        code="{line[:3]}",\n        name="{name}",\n'
            f'        digits={digits},\n        symbol="{symbol}",\n        before={side == "b"},\n    ),\n'
        )
    return HEAD + "".join(rows) + TAIL


FOREIGN = ("//mirror.example.net/orders", "https://mirror.example.net/login", "/%5Cmirror.example.net")
PATHS = (
    "/",
    "/pages/lanterns",
    "/pages/green-tea",
    "/basket",
    "/orders",
    "/account",
    "/pages/gifts",
    "/login",
)


def access_log(lines: int = 900) -> str:
    """The text of `logs/access.log`: a day of requests, a few of them with a foreign `next`."""
    dice = Dice("access log")
    at = datetime(2026, 11, 29, 11, 52, 11)
    rows = []
    for n in range(lines):
        at += timedelta(seconds=dice.number(3, 160))
        path = dice.pick(PATHS)
        if path == "/login":
            target = dice.pick(FOREIGN) if n % 7 == 0 else f"/orders/{dice.number(1001, 1090)}"
            path = f"/login?next={target}"
        elif path == "/orders":
            path = f"/orders/{dice.number(1001, 1090)}"
        status = dice.pick((200, 200, 200, 200, 303, 303, 304, 404))
        visitor = hexes(6, "visitor", dice.number(1, 60))
        rows.append(f"{at:%Y-%m-%dT%H:%M:%SZ} {visitor} GET {path} {status} {dice.number(1, 48)}ms")
    return "\n".join(rows) + "\n"


def rounding_page() -> str:
    """The text of `docs/rounding.md`, which the session writes."""
    rows = []
    for line in CURRENCIES.strip().splitlines():
        name, digits, symbol, _ = line[4:].split("|")
        step, example = ("0.05", "74.08 -> 74.10") if line[:3] == "CHF" else ("-", "as it is")
        rows.append(f"| {line[:3]} | {name} | {symbol} | {digits} | {step} | {example} |")
    return words("rounding.md") + "\n" + "\n".join(rows) + "\n"
