"""The product pages of the invented shop: long prose with prices in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .ids import Dice


@dataclass(frozen=True)
class Phrases:
    """What can be said about a kind of article; `{stuff}` stands for what it is made of."""

    making: Sequence[str]
    using: Sequence[str]
    keeping: Sequence[str]


THINGS = Phrases(
    making=(
        "It is made of {stuff}, and no two pieces are quite alike.",
        "We have it from a small workshop that works with {stuff} and little else.",
        "The body is {stuff}; the finish is left as plain as possible.",
        "What you see is {stuff}, with nothing added to make it look older than it is.",
    ),
    using=(
        "It suits a small table better than a large one, and two people better than ten.",
        "Customers tell us that it travels well, wrapped in a pullover and put in the middle of the bag.",
        "We keep one in the office, where it has survived three moves and a puppy.",
        "It looks modest in daylight; wait until the evening before you decide.",
        "If you are unsure about the size, write to us and we will measure it against something you own.",
        "The first ones came back because a seam opened; that was four years ago and has not happened since.",
        "People who buy one tend to come back for a second within the year.",
        "It is heavier than the picture makes you think, which is rather the point of it.",
        "Two of our neighbours use it daily and report nothing worse than a scratch.",
    ),
    keeping=(
        "Dust it with a soft brush and keep it out of direct sun.",
        "A drop of oil once a year is all the care it asks for.",
        "Small marks are part of the material and no reason for a return, though we will take it back "
        "anyway.",
        "Bring it in before a storm; a light rain does no harm.",
        "Keep the box: it fits the shelf and saves you a frown when you move house.",
        "Spare parts are in the drawer under the till and cost less than sending it back.",
    ),
)
TEAS = Phrases(
    making=(
        "For this one we take {stuff}, and leave the rest to the weather.",
        "The tin holds {stuff}, packed on the day it reached us.",
        "It starts with {stuff} and ends, in a good year, with a line in front of the shop.",
        "The maker calls it ordinary; it is {stuff}, and there is nothing ordinary in it.",
    ),
    using=(
        "The first cup is light and a little sweet, the second is the one to wait for.",
        "Water just off the boil is too hot; count slowly to sixty before you pour.",
        "It stands milk, if it must, but not lemon.",
        "Three grams for a small pot are enough, four if you are tired.",
        "In summer we make it cold: a spoon of leaves, a bottle of water, one night in the fridge.",
        "It tastes of grass after rain, and at the bottom of the cup of toasted bread.",
        "Guests who say that they do not drink tea have been seen to ask for a second cup.",
        "The leaves open slowly, so do not pour it away after the first infusion.",
        "We drink it at four in the afternoon, when the post has gone and the phone is quiet.",
    ),
    keeping=(
        "Keep it dry and dark, and away from the spice drawer.",
        "Once the tin is open, finish it within two months; it does not get better.",
        "The date on the lid is the day of packing, and we do not sell it after one year.",
        "A tin that smells of nothing when you open it goes back to us, at our cost.",
        "Do not put it in the fridge: it takes on the smell of everything around it.",
        "The paper bag inside can go on the compost, the tin can hold screws for ever after.",
    ),
)
GIFTS = Phrases(
    making=(
        "Inside you find {stuff}, chosen so that they go together.",
        "We pack {stuff} into it, with straw around and a card on top.",
        "The list is short: {stuff}, and a ribbon that is not red.",
        "It holds {stuff}; what is sold out is replaced by something that costs more.",
    ),
    using=(
        "It has been sent to three weddings, one reconciliation and a dentist.",
        "If you write the card yourself, send us the words and we copy them by hand.",
        "It fits under an arm, and looks as if it had taken longer to choose than it did.",
        "No invoice goes into the parcel, and the price is nowhere on the box.",
        "For people with a cat we leave out the ribbon; say so in the field for remarks.",
        "It is good for somebody who has everything, since most of it is gone in a month.",
        "Where the recipient dislikes tea, ask for the paper instead; it costs the same.",
        "We suggest it for the day after the party, when nobody else thinks of giving anything.",
        "One size for all: large enough to please, small enough for a letter box of the larger sort.",
    ),
    keeping=(
        "The box closes without tape and can be used again.",
        "It keeps for half a year, the paper and the cup for rather longer.",
        "Returns are taken as long as the ribbon is tied, which we find a fair test.",
        "Nothing in it needs to be cooled, and nothing breaks below a fall of one metre.",
        "Sent on a Friday it arrives on a Monday; nobody has complained about the weekend in between.",
        "If the parcel is late we send a second one and ask no questions about the first.",
    ),
)
SENDING = (
    "Usually sent within two days, in a box that can be used again.",
    "Made to order: please allow nine working days before it leaves us.",
    "In stock in both houses. Orders before noon leave on the same day.",
    "The last batch sold out in a week, so the number below is honest but may be old.",
)


@dataclass(frozen=True)
class Department:
    """One product page: its words, and what its articles are made of."""

    title: str
    line: str
    names: Sequence[str]
    things: Sequence[str]
    stuffs: Sequence[str]
    phrases: Phrases


PAGES = {
    "lanterns": Department(
        "Lanterns",
        "Paper, silk and glass for balconies, tables and long evenings.",
        ("Moon", "Harbour", "Plum", "Carp", "Cloud", "Bamboo", "Snow", "Ferry", "Comet", "Orchard"),
        ("lantern", "garland", "table lamp", "floating light"),
        (
            "mulberry paper over a bamboo frame",
            "raw silk on thin steel wire",
            "folded parchment",
            "pressed glass",
        ),
        THINGS,
    ),
    "green-tea": Department(
        "Green tea",
        "Steamed and pan-fired leaves, packed within three weeks of the picking.",
        ("Spring", "Mist", "Ridge", "Needle", "Jade", "Pine", "Dragon", "Willow", "First Rain", "Quiet"),
        ("sencha", "gunpowder", "gyokuro", "jasmine pearls"),
        ("leaves from one garden", "a blend of two harvests", "young buds and one leaf", "shaded leaves"),
        TEAS,
    ),
    "black-tea": Department(
        "Black tea",
        "For mornings, for milk, for rain against the window.",
        (
            "Ember",
            "Harvest",
            "Copper",
            "Valley",
            "Station",
            "Velvet",
            "Northern",
            "Monsoon",
            "Chestnut",
            "Slate",
        ),
        ("breakfast blend", "second flush", "smoked tea", "rose congou"),
        (
            "whole leaves rolled by hand",
            "broken leaves for a strong cup",
            "golden tips",
            "leaves dried over pine",
        ),
        TEAS,
    ),
    "teaware": Department(
        "Teaware",
        "Pots, cups and kettles, thrown and fired in small numbers.",
        ("Pebble", "Heron", "Ash", "Tide", "Kiln", "Sparrow", "Ink", "Persimmon", "Frost", "Threshold"),
        ("teapot", "cup", "lidded bowl", "kettle"),
        ("stoneware with a salt glaze", "thin porcelain", "cast iron, enamelled inside", "unglazed red clay"),
        THINGS,
    ),
    "paper": Department(
        "Paper",
        "Sheets, books and strips for writing, folding and wrapping.",
        ("Mulberry", "Linen", "Indigo", "Straw", "Petal", "Marble", "Birch", "Lake", "Sand", "Cinder"),
        ("sheets", "notebook", "letter set", "folding strips"),
        ("long mulberry fibres", "cotton rag", "hemp and straw", "recycled tea sacks"),
        THINGS,
    ),
    "gifts": Department(
        "Gifts",
        "Boxes that somebody else has already thought about.",
        (
            "Evening",
            "Thank You",
            "New Year",
            "Housewarming",
            "Picnic",
            "Apology",
            "Reader",
            "Night Shift",
            "Garden",
            "Sunday",
        ),
        ("box", "basket", "parcel", "sampler"),
        (
            "two teas and a cup",
            "a lantern and a candle",
            "paper, ink and a tin of tea",
            "four tins and a strainer",
        ),
        GIFTS,
    ),
}


def page(name: str) -> str:
    """The text of `pages/<name>.md`: forty articles with their prices and a few sentences each."""
    department = PAGES[name]
    dice = Dice(f"page {name}")
    parts = [f"# {department.title}\n\n{department.line}\n"]
    parts += [article(name, first, thing, dice) for first in department.names for thing in department.things]
    return "".join(parts)


def article(page_name: str, first: str, thing: str, dice: Dice) -> str:
    """One article; some prices in francs end in 9, which is what the session is after."""
    department = PAGES[page_name]
    francs = dice.number(49, 1190) * 10 + dice.pick((0, 0, 5, 5, 5, 5, 9))
    euros = francs * 97 // 100
    sku = f"{page_name.split('-')[0]}-{first.lower().replace(' ', '-')}-{thing.split()[-1]}"
    said = department.phrases
    using, keeping = some(dice, said.using, dice.pick((4, 4, 5))), some(dice, said.keeping, 3)
    making = dice.pick(said.making).format(stuff=dice.pick(department.stuffs))
    return (
        f"\n## {first} {thing}\n\n"
        f"`{sku}` · CHF {francs // 100}.{francs % 100:02d} · EUR {euros // 100}.{euros % 100:02d}\n\n"
        f"{making} {' '.join(using)}\n\n{' '.join(keeping)}\n\n"
        f"{dice.pick(SENDING)} Weight {dice.number(8, 240) * 10} g, {dice.number(2, 90)} left.\n"
    )


def some(dice: Dice, phrases: Sequence[str], count: int) -> list[str]:
    """`count` different phrases."""
    left = list(phrases)
    return [left.pop(dice.number(0, len(left) - 1)) for _ in range(count)]
