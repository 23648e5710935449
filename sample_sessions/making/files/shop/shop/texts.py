"""Words for customers, in three languages."""

from __future__ import annotations

TEXTS: dict[str, dict[str, str]] = {
    "login.form": {
        "en": "Please log in to go on.",
        "de": "Bitte melden Sie sich an.",
        "zh": "请先登录。",
    },
    "login.failed": {
        "en": "Name and phrase do not belong together.",
        "de": "Name und Satz passen nicht zusammen.",
        "zh": "用户名与口令不符。",
    },
    "orders.none": {
        "en": "You have no orders yet.",
        "de": "Sie haben noch keine Bestellungen.",
        "zh": "您还没有订单。",
    },
    "orders.title": {
        "en": "Order",
        "de": "Bestellung",
        "zh": "订单",
    },
    "basket.empty": {
        "en": "The basket is empty. The kettle is not.",
        "de": "Der Korb ist leer. Der Kessel nicht.",
        "zh": "购物篮空空，茶壶未空。",
    },
    "basket.added": {
        "en": "Put into the basket.",
        "de": "In den Korb gelegt.",
        "zh": "已放入购物篮。",
    },
    "basket.tier": {
        "en": "From {pieces} pieces on you save {percent} percent.",
        "de": "Ab {pieces} Stück sparen Sie {percent} Prozent.",
        "zh": "满 {pieces} 件，优惠 {percent}%。",
    },
    "shipping.free": {
        "en": "We send this free of charge.",
        "de": "Diese Sendung ist für Sie kostenlos.",
        "zh": "本单免运费。",
    },
    "shipping.days": {
        "en": "On its way for {days} days.",
        "de": "Unterwegs seit {days} Tagen.",
        "zh": "已在途 {days} 天。",
    },
    "voucher.used": {
        "en": "This voucher has been used.",
        "de": "Dieser Gutschein ist schon eingelöst.",
        "zh": "该优惠券已被使用。",
    },
    "voucher.good": {
        "en": "The voucher takes {percent} percent off.",
        "de": "Der Gutschein zieht {percent} Prozent ab.",
        "zh": "优惠券减免 {percent}%。",
    },
    "receipt.title": {
        "en": "LANTERN STREET",
        "de": "LANTERN STREET",
        "zh": "灯笼街",
    },
    "receipt.number": {
        "en": "Receipt for order",
        "de": "Beleg zur Bestellung",
        "zh": "订单收据",
    },
    "receipt.goods": {
        "en": "Goods",
        "de": "Waren",
        "zh": "商品",
    },
    "receipt.voucher": {
        "en": "Voucher",
        "de": "Gutschein",
        "zh": "优惠券",
    },
    "receipt.tax": {
        "en": "Tax",
        "de": "Mehrwertsteuer",
        "zh": "税",
    },
    "receipt.shipping": {
        "en": "Shipping",
        "de": "Versand",
        "zh": "运费",
    },
    "receipt.due": {
        "en": "To pay",
        "de": "Zu zahlen",
        "zh": "应付",
    },
}


def text(key: str, language: str) -> str:
    """The words for `key`; English where a language has none. KeyError for an unknown key."""
    words = TEXTS[key]
    return words.get(language, words["en"])
