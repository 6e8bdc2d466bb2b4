"""The animals of ООО «Заря», and values of theirs that follow from their place in the list."""

import datetime as dt

# Number, name, year, month and day of birth. 101 to 118 are cows, 119 to 124 heifers.
ANIMALS = [
    (101, "Зорька", 2018, 3, 14), (102, "Ночка", 2018, 5, 2), (103, "Милка", 2018, 9, 21),
    (104, "Берёзка", 2018, 11, 8), (105, "Ласточка", 2019, 1, 17), (106, "Малина", 2019, 2, 25),
    (107, "Снежинка", 2019, 4, 3), (108, "Ветка", 2019, 6, 30), (109, "Дымка", 2019, 10, 11),
    (110, "Рябина", 2020, 1, 5), (111, "Калина", 2020, 3, 19), (112, "Звёздочка", 2020, 7, 7),
    (113, "Веснянка", 2020, 9, 28), (114, "Мурка", 2021, 1, 12), (115, "Чайка", 2021, 4, 24),
    (116, "Пальма", 2021, 8, 16), (117, "Лилия", 2022, 2, 9), (118, "Гвоздика", 2022, 5, 31),
    (119, "Зимушка", 2023, 1, 20), (120, "Незабудка", 2023, 3, 6), (121, "Метель", 2023, 5, 15),
    (122, "Берта", 2023, 7, 1), (123, "Люба", 2023, 9, 9), (124, "Тучка", 2023, 12, 3),
]
NAMES = {number: name for number, name, *_ in ANIMALS}
COWS = range(101, 119)
# Sires outside the book: number and name.
SIRES = [("HOUSA000099000011", "МАКСВЕЛЛ"), ("HOCAN000099000012", "БРУНО"), ("HODEU000099000013", "РОКОССО")]
# A cow of another farm.
FOREIGN = "643999000000001"


def ident(number):
    """The identification number: 643 and 12 digits."""
    return f"643000021500{number}"


def tag(number):
    """The ear tag."""
    return f"RU2150{number}"


def working(number):
    """The working number. That of 121 was typed wrong: it is the one of 119."""
    return "419" if number == 121 else str(number + 300)


def ru(day):
    """A day as people write it."""
    return day.strftime("%d.%m.%Y")


def comma(value, digits=1):
    """A number with a decimal comma."""
    return f"{value:.{digits}f}".replace(".", ",")


def milk(number, month):
    """Milk of a test day, kg."""
    return round(24 + number * 7 % 13 + number * 3 % 10 / 10 - month * 0.4, 1)


def fat(number, month):
    """Fat, %."""
    return round(3.5 + number * 11 % 17 / 20 + month * 0.02, 2)


def protein(number, month):
    """Protein, %."""
    return round(3.05 + number * 5 % 11 / 25 + month * 0.01, 2)


def cells(number, month):
    """Somatic cells, 1000/ml."""
    return 60 + number * 37 % 290 + month * 9


def day(year, month, number):
    """A day."""
    return dt.date(year, month, number)
