"""Makes the files of `files/`, as README.md says.

    python3 -m venv /tmp/packages && /tmp/packages/bin/pip install -r requirements.txt
    /tmp/packages/bin/python make.py            # writes them
    /tmp/packages/bin/python make.py --check    # says which differ from those that are there

Nothing is random and no clock is asked, so the bytes are the same each time (packed files: with the same zlib).
"""

import sys
from pathlib import Path

from forms import Error, Shown, locked, ndjson, ods, text, xls, xlsx
from herd import ANIMALS, COWS, FOREIGN, NAMES, SIRES, cells, comma, day, fat, ident, milk, protein, ru, tag, working

WINDOWS = "cp1251"
BOM = "utf-8-sig"


def animals():
    head = "Инд.№;Бирка;Технологический номер;Кличка;Пол;Дата рождения;Порода;Кровность, %;Отец, инд.№;Отец, кличка;Мать, инд.№"
    rows = []
    for number, name, *born in ANIMALS:
        sire = SIRES[number % 3]
        dam = ident(number - 18) if number > 118 else f"6430000215000{number - 50}"
        if number == 112:
            name = f'{name} "Белая"'
        share = comma(75 + number % 8 * 3.125, 3).rstrip("0").rstrip(",")
        rows.append([ident(number), tag(number), working(number), name, "ж", ru(day(*born)), "Голштинская", share, *sire, dam])
    # A daughter stands above her dam.
    rows.insert(0, rows.pop(18))
    return text([head.split(";"), *rows], encoding=WINDOWS)


LAB = ["№ п/п", "Номер животного", "Кличка", "Дата контроля", "Удой, кг", "Жир, %", "Белок, %", "Лактоза, %",
       "Соматика, тыс./мл", "Мочевина, мг/100 мл", "Номер пробы"]


def lab(number, shown, empty):
    """A row of the laboratory's protocol of January."""
    values = [comma(milk(number, 1)), comma(fat(number, 1), 2), comma(protein(number, 1), 2),
              comma(4.6 + number % 5 / 10, 2), str(cells(number, 1)), comma(20 + number % 9)]
    if number == 118:
        values = ["н/д"] * 6
    if number == 107:
        values[1] = "-"
    return [str(number - 100), shown(number), NAMES[number], empty, *values, str(26118000 + number)]


def lab_xlsx():
    rows = [
        ["Лаборатория селекционного контроля качества молока"],
        ["Протокол испытаний № 118/26 от 22.01.2026"],
        ["Хозяйство: ООО «Заря», Ленинградская область"],
        [],
        LAB,
    ]
    for number in COWS:
        row = lab(number, lambda n: int(ident(n)), day(2026, 1, 20))
        row[0], row[10] = int(row[0]), int(row[10])
        rows.append(row)
    test = [number for number in COWS if number != 118]
    mean = sum(milk(number, 1) for number in test) / len(test)
    rows.append([None, None, "Среднее", None, comma(mean), "3,98", "3,26", "4,80", "201", "23,6", None])
    plain = {f"D{row}" for row in (21, 22, 23)}
    return xlsx([("Протокол", rows, ["A1:K1", "A2:K2", "A3:K3"], plain)])


def lab_again():
    rows = [lab(number, ident, "20.01.2026") for number in COWS]
    return text([LAB, *rows], sep=",", encoding=BOM)


def parlour():
    head = ["Корова", "Дата дойки", "Утро", "Обед", "Вечер", "Удой за день, кг", "Код"]
    rows = ["Отчёт «Контрольная дойка»", "Дата печати: 18.02.2026 07:12:44", "", head]
    for number in COWS:
        if number == 110:
            rows += ["\t\t\t\t\t\t", "", head]
        whole = milk(number, 2)
        morning, noon = round(whole * 0.4, 1), round(whole * 0.25, 1)
        parts = [morning, noon, round(whole - morning - noon, 1), whole]
        shown, code = [comma(part) for part in parts], ""
        if number in (116, 117):
            shown, code = [""] * 4, "dry" if number == 116 else "сухост."
        rows.append([working(number), "17.02.2026", *shown, code])
    rows.append(["419", "17.02.2026", "8,1", "5,0", "7,2", "20,3", ""])
    return text(rows, sep="\t", end="\n")


def control(corrected):
    """The control of December; corrected: two values are others, and a row is gone."""
    head = "Номер животного;Кличка;Дата контрольной дойки;Суточный удой, кг;МДЖ, %;МДБ, %;СКС, тыс./мл;Лактация;Примечание"

    def row(number, shown=None, **other):
        values = {
            "shown": shown or ident(number), "name": NAMES.get(number, ""), "day": "18.12.2025",
            "milk": comma(milk(number, 12)), "fat": comma(fat(number, 0), 2), "protein": comma(protein(number, 0), 2),
            "cells": str(cells(number, 0)), "lactation": str((118 - number) // 4 + 1), "note": "",
        }
        return list((values | other).values())

    rows = [
        head.split(";"),
        row(101), row(102), row(103),
        row(104, milk="450"),
        row(105, milk="н/д", note="стояла в изоляторе"),
        row(106, fat="-"),
        row(107), row(107),
        row(108, day="18.12.2062"),
        row(109, day="18.12.2005"),
        row(199, name="Ягода", lactation="1"),
        row(198, shown=FOREIGN, name="Роза", lactation="2"),
        row(110, shown=tag(110)),
        row(111, shown=working(111)),
        row(112, protein="3,l5"),
        [""] * 9,
        row(113),
        row(114, day=""),
        row(115),
        ["Итого по ферме", "", "", "402,3", "3,91", "3,24", "", "", "19 гол."],
    ]
    if corrected:
        rows[1][3] = "29,9"
        rows[2][4] = "4,02"
        rows.remove(row(115))
    return text(rows, encoding=WINDOWS)


def bought():
    head = "Идентификационный номер;Ушная бирка;Инв. номер;Кличка;Пол;Дата рождения;Порода;Масть;Дата поступления;Хозяйство рождения"

    def row(number, name, sex, born, breed="Голштинская", shown=None):
        return [shown or ident(number), tag(number), working(number), name, sex, born, breed, "Чёрно-пёстрая", "15.11.2025",
                "СПК «Рассвет»"]

    rows = [
        head.split(";"),
        row(126, "Ромашка", "б", "11.06.2021"),
        row(127, "Искра", "ж", "12.05.2032"),
        row(128, "Пчёлка", "корова", "30.08.2021", breed="Голштинизированная"),
        row(129, "Бусинка", "тёлка", "02.04.2024"),
        row(130, "Вьюга", "ж", "17.10.2021", shown="64300002150О130"),
        row(131, "Фиалка", "", "25.01.2022"),
    ]
    return text(rows, encoding=WINDOWS)


def service_journal():
    head = ["№ п/п", "Инд. №", "Дата осеменения", "Бык", "Кратность", "Способ осеменения", "Доз семени", "Результат", "Дата УЗИ"]
    rows = [["Журнал осеменения, IV квартал 2025 года"], [], head]
    for place, number in enumerate(range(101, 115), 1):
        if place == 9:
            rows += [[], [], head]
        at = day(2025, 10, number - 98)
        tries = "два" if number == 106 else 1 + number % 2
        found = None if number > 110 else ["Стельная", "Яловая"][number % 3 == 0]
        check = None if found is None else day(2025, 11, number - 92)
        shown = "31.11.2025" if number == 109 else at
        rows.append([place, int(ident(number)), shown, SIRES[number % 3][0], tries, "Искусственное осеменение", 1, found, check])
    return xls([("Осеменение", rows, [(0, 0, 0, 8)])])


def two_sheets():
    head = ["Инд.№", "Кличка", "Дата отёла", "Номер отёла", "Лёгкость отёла", "Живых тёлочек", "Живых бычков",
            "Мертворождённых", "Масса телёнка, кг", "Примечание"]

    def calving(number, at, parity, ease=1, heifers=1, bulls=0, dead=0, weight=38.5, note=None):
        return [ident(number), NAMES.get(number, "Ромашка"), at, parity, ease, heifers, bulls, dead, weight, note]

    calvings = [
        head,
        calving(101, day(2025, 2, 11), 5),
        calving(102, day(2025, 3, 2), 4, heifers=0, bulls=1, weight=41),
        calving(103, day(2025, 3, 27), 4, ease=3, heifers=0, bulls=0, dead=1, weight=44.2, note="тяжёлый, помощь врача"),
        calving(104, day(2025, 4, 9), 4, weight=Error("#N/A")),
        calving(105, Error("#REF!"), 3),
        calving(106, day(2025, 5, 18), 3, ease=7),
        calving(107, day(2025, 6, 1), 3, heifers=1, bulls=1, weight=33),
        calving(108, day(2025, 6, 22), 3),
        calving(108, day(2025, 6, 22), 3, weight=39.5),
        calving(110, day(2002, 5, 4), 2),
        calving(126, day(2025, 12, 20), 2, heifers=0, bulls=1, weight=42),
        calving(111, "14.07.2025", 2, weight="37,5"),
    ]
    services = [
        ["Осеменение тёлок, январь 2026"],
        ["Животное", "Дата осеменения", "Бык", "Попытка", "Комментарий", "Техник"],
        [working(120), day(2026, 1, 12), SIRES[0][0], 1, None, "Иванова А. П."],
        ["419", day(2026, 1, 13), SIRES[1][0], 1, None, None],
        [tag(122), day(2026, 1, 15), SIRES[2][0], 2, "повтор", None],
        [ident(123), day(2026, 1, 16), SIRES[0][0], 1, None, None],
        [ident(124), day(2026, 1, 16), SIRES[1][0], 1, None, None],
        [ident(125), day(2026, 1, 19), SIRES[2][0], 1, "из новой группы", None],
    ]
    return xlsx([("Отёлы", calvings, [], ()), ("Осеменения", services, ["A1:F1"], ()), ("Лист3", [], [], ())])


def unknown_columns():
    rows = [
        ["Номер животного", "Кличка", "Настроение", "Группа крови", "Примечание"],
        [ident(101), "Зорька", "спокойная", "B", "Хромает на левую заднюю.\r\nОсмотр 03.02.2026"],
        [ident(102), "Ночка", "", "", ""],
        [ident(103), "Милка", "бодливая", "A, C", 'Отзывается на "Милка, ко мне"'],
        [ident(104), "Берёзка", "н/д", "-", "Продать; цена по договору"],
        [ident(132), "Умница", "весёлая", "J", ""],
        [tag(105), "Ласточка", "", "", "Записана по бирке"],
        [ident(106), "Малинка", "спокойная", "", ""],
    ]
    return text(rows, sep=",")


def scales():
    rows = [["Животное", "Дата взвешивания", "Живая масса, lb", "Упитанность"]]
    for number in range(101, 111):
        rows.append([tag(number), "03.02.2026", str(1250 + number * 17 % 200), comma(2.5 + number % 5 / 4, 2)])
    rows[4][2] = ""
    rows[6][3] = "7"
    rows[10][2] = "1 388,5"
    return text(rows, encoding=BOM)


def english():
    rows = ["Life number;Test date;Milk;Fat;Protein;SCC".split(";")]
    for number in range(101, 113):
        rows.append([ident(number), "2025-11-18", str(milk(number, 11)), str(fat(number, 11)), str(protein(number, 11)),
                     str(cells(number, 11))])
    rows[5][5] = "n/a"
    rows[8][1] = "18/11/2025"
    return text(rows, end="\n")


def heifers():
    rows = [
        "Инд.№;Бирка;Технологический номер;Кличка;Пол;Дата рождения;Порода".split(";"),
        [ident(125), tag(125), working(125), "Кувшинка", "т", "08.07.2024", "Голштинская"],
        [ident(126), tag(126), working(126), "Ромашка", "ж", "11.06.2021", "Голштинская"],
    ]
    return text(rows, encoding=WINDOWS)


def american():
    rows = [["Cow", "Test date", "Milk, l", "Fat, %", "Protein, %", "SCC, cells/ml", "MUN"]]
    for number in range(101, 111):
        rows.append([working(number), "16/10/2025", str(milk(number, 10)), str(fat(number, 10)), str(protein(number, 10)),
                     str(cells(number, 10) * 1000), str(8 + number % 6)])
    return text(rows, sep=",")


def date_habits():
    days = ["05.02.2026", "2026-02-05", "05/02/2026", "46058", "05.02.2026 06:40", "5.2.2026", "05.02.26", "2/17/2026",
            "5 февраля 2026", "06.02.2026"]
    rows = ["Инд.№;Дата;Вес;Обхват груди, см".split(";")]
    for number, at in zip(range(109, 119), days):
        rows.append([ident(number), at, str(540 + number * 13 % 90), str(190 + number % 9)])
    return text(rows, encoding=WINDOWS)


TRAITS = [
    "Рост", "Ширина груди", "Глубина туловища", "Тип телосложения", "Положение таза", "Ширина таза",
    "Постановка задних ног (вид сзади)", "Постановка задних ног (вид сбоку)", "Угол копыта", "Ориентация передних ног",
    "Гармоничность движения", "Прикрепление передних долей вымени", "Расположение передних сосков", "Длина сосков",
    "Глубина вымени", "Прикрепление задних долей вымени", "Центральная связка", "Расположение задних сосков",
]


def exteriors():
    rows = [["Линейная оценка экстерьера первотёлок и коров, февраль 2026"], [],
            ["Инд.№", "Дата оценки", "Номер отёла", *TRAITS, "Качество вымени", "Эксперт"]]
    for number in range(111, 119):
        scores = [1 + (number * 5 + place * 7 + place // 4) % 9 for place in range(18)]
        if number == 113:
            scores[4] = 10
        if number == 115:
            scores[14] = "-"
        rows.append([ident(number), day(2026, 2, 4), 2 if number < 114 else 1, *scores, 80 + number % 7, "Петров И. С."])
    return ods("Оценка", rows, {1: 6})


LOCI = ["BM1818", "BM1824", "BM2113", "ETH3", "ETH10", "ETH225", "INRA023", "SPS115", "TGLA53", "TGLA122", "TGLA126", "TGLA227"]


def dna():
    head = ["Инд.№", "Дата исследования", "Тип теста", "Лаборатория", "Вывод теста", "Способ подтверждения происхождения",
            "Номер генетического сертификата", "Дата выдачи сертификата", *LOCI]
    rows = [head]
    for number in range(119, 125):
        pairs = [f"{121 + (number * 2 + place) % 7 * 2}/{133 + (number + place) % 5 * 2}" for place in range(12)]
        rows.append([ident(number), "26.01.2026", "Микросателлиты (ISAG)", "ООО «Генлаб»", "confirmed", "byOM",
                     f"ГЛ-2026-{number}", "30.01.2026", *pairs])
    rows[2][4:6] = ["excluded", "byO"]
    rows[3][4] = "не подтв."
    rows[4][9] = "н/д"
    rows[5][2] = "Микросателиты"
    rows.append([ident(133), "26.01.2026", "str", "", "confirmed", "byM", "ГЛ-2026-133", "30.01.2026", *["121/133"] * 12])
    return text(rows, encoding=BOM)


def gradings():
    words = ["Элита-рекорд", "элита", "Первый", "Второй", "Вне класса", "Супер-элита", Error("#REF!"), "Элита", "elite"]
    rows = [["Сводная ведомость бонитировки"], ["Инд.№", "Дата бонитировки", "Комплексный класс", "Балл"]]
    for number, word in zip(range(101, 110), words):
        rows.append([ident(number), day(2025, 11, 25) if number == 101 else None, word, 90 - (number - 101) * 4])
    rows[5][3] = Error("#N/A")
    rows[9][3] = 105
    return xlsx([("Бонитировка", rows, ["A1:D1", "B3:B11"], ())])


def shows():
    rows = [
        "Инд.№;Дата выставки;Название мероприятия;Место проведения;Награды;Приз".split(";"),
        [ident(101), "12.06.2024", "Областная выставка племенного скота «Звезда Нивы»", "Гатчина", "Золотая медаль;\nчемпион породы", "Доильный аппарат"],
        [ident(103), "12.06.2024", "Областная выставка племенного скота «Звезда Нивы»", "Гатчина", "-", ""],
        [tag(104), "14.06.2025", "Белые ночи — 2025", "пос. Шушары", "Диплом II степени", ""],
        [ident(106), "14.06.2025", "", "пос. Шушары", "Диплом участника", ""],
        [ident(107), "лето 2025", "Белые ночи — 2025", "пос. Шушары", "", ""],
        [ident(101), "14.06.2025", "Белые ночи — 2025", "пос. Шушары", "Серебряная медаль", "15 000 руб."],
    ]
    return text(rows, encoding=WINDOWS)


def robot():
    rows = []
    for number in range(101, 113):
        row = {"animal": tag(number), "date": "2026-02-10", "milkYield": milk(number, 2), "milkings": 2 + number % 2,
               "conductivityMax": round(4.6 + number % 8 / 10, 1), "origin": "robot"}
        if number == 105:
            row["milkYield"] = None
        if number == 107:
            row["origin"] = "carousel"
        if number == 109:
            row["box"] = 2
        rows.append(row)
    rows.insert(6, None)
    return ndjson(rows)


def ai_program():
    rows = []
    for number in range(101, 109):
        rows.append({"animal": ident(number), "date": f"2025-12-{number - 98:02}", "bullText": SIRES[number % 3][0], "doses": 1,
                     "attemptNumber": 2, "straw": {"batch": f"A-12{number}", "sexed": "female" if number % 2 else "none"}})
    rows[2]["date"] = "2025-12-05T06:30:00+03:00"
    rows[4]["straw"] = {"batch": "A-12105", "sexed": "girls"}
    rows[6]["animal"] = ident(197)
    rows[7]["doses"] = "две"
    return ndjson(rows)


def ambiguous():
    rows = ["Инд.№;Дата;Удой".split(";")]
    for number in range(103, 113):
        rows.append([ident(number), "11.02.2026", comma(milk(number, 2) + 0.4)])
    return text(rows, encoding=WINDOWS)


def price_list():
    rows = [
        ["ООО «АгроСнаб»"],
        ["Прайс-лист от 01.02.2026"],
        [],
        ["№", "Наименование", "Ед. изм.", "Цена, руб.", "Наличие"],
        [1, "Комбикорм КК-60", "т", 24500, "есть"],
        [2, "Премикс П60-3", "кг", 118.5, "есть"],
        [3, "Соль-лизунец", "шт.", 210, "под заказ"],
        [4, "Бирки ушные, комплект", "шт.", 64.9, "есть"],
        [5, "Мел кормовой", "т", 5200, "нет"],
    ]
    return xlsx([("Прайс", rows, ["A1:E1", "A2:E2"], ())])


def password():
    rows = [["Инд.№", "Дата взвешивания", "Живая масса"], [ident(101), day(2026, 2, 3), 612], [ident(102), day(2026, 2, 3), 588],
            [ident(103), day(2026, 2, 3), 640], [ident(104), day(2026, 2, 3), 601], [ident(105), day(2026, 2, 3), 577]]
    return locked(xlsx([("Масса", rows, [], ())]), "zarya")


def spoiled():
    rows = ["Инд.№;Дата контроля;Удой;Жир;Белок".split(";")]
    for number in range(101, 109):
        rows.append(["6,43E+14", "17.09.2025", comma(milk(number, 9)), comma(fat(number, 9), 2), comma(protein(number, 9), 2)])
    rows[3][2] = "27.янв"
    for number in (109, 110, 111):
        rows.append([working(number), "17.09.2025", comma(milk(number, 9)), comma(fat(number, 9), 2), comma(protein(number, 9), 2)])
    rows[10][2] = "28.мар"
    rows[11][3] = "апр.05"
    return text(rows, encoding=WINDOWS)


WEIGHTS = ["Инд.№", "Дата взвешивания", "Живая масса, кг"]


def unicode_text():
    rows = [WEIGHTS] + [[ident(number), "12.01.2026", f"{590 + number % 7 * 6},5"] for number in range(101, 105)]
    return text(rows, sep="\t", encoding="utf-16-le", mark=b"\xff\xfe")


def report_1c():
    empty = [None] * 3
    rows = [
        ["Контрольное доение"], ["Период: 01.12.2025 - 31.12.2025"], [],
        ["№ п/п", "Животное", "Дата контроля", "Надой, кг", None, "Удой за день, кг"],
        [None, None, None, "Утро", "Вечер", None],
        [1, 2, 3, 4, 5, 6],
        ["Ферма № 1"],
        [1, ident(101), "17.12.2025 0:00:00", "15,5", "12,0", "27,5"],
        [2, ident(102), "17.12.2025 0:00:00", "14,0", "11,5", "25,5"],
        ["Итого по ферме № 1", *empty[1:], "29,5", "23,5", "53,0"],
        ["Ферма № 2"],
        [3, ident(103), "17.12.2025 0:00:00", "13,0", "10,0", "23,0"],
        [4, ident(104), "01.01.0001 0:00:00", "13,5", "10,5", "24,0"],
        ["Итого по ферме № 2", *empty[1:], "26,5", "20,5", "47,0"],
        ["Итого", *empty[1:], "56,0", "44,0", "100,0"],
    ]
    merged = [(0, 0, 0, 5), (1, 1, 0, 5), (3, 3, 3, 4), (3, 4, 0, 0), (3, 4, 1, 1), (3, 4, 2, 2), (3, 4, 5, 5)]
    return xls([("TDSheet", rows, merged)])


def lab_two_headers():
    rows = [
        ["Протокол испытаний № 31/26 от 26.02.2026"], [],
        ["№ пробы", "Номер животного", "Дата контроля", "Удой, кг", "Массовая доля", None, "Соматические клетки"],
        [None, None, None, None, "Жир, %", "Белок, %", "тыс./мл"],
        [1, 2, 3, 4, 5, 6, 7],
    ]
    for number in range(101, 105):
        rows.append([number, ident(number), day(2026, 2, 24), milk(number, 2), fat(number, 2), protein(number, 2), cells(number, 2)])
    rows[7][4] = "н/о"
    rows += [[], ["Исполнитель: Петрова А. А."]]
    return xlsx([("Протокол", rows, ["A1:G1", "E3:F3"], ())])


def dhi():
    rows = [
        ["Cow", "Test date", "Milk, lb", "Fat", "Protein", "SCC", "DIM"],
        [ident(101), "11/25/2025 6:15:00 AM", "68.4", "3.81", "3.12", "120", "45"],
        [ident(102), "11/25/2025 6:20:00 AM", "71.0", "3.65", "3.20", "88", "61"],
        [ident(103), "11/06/2025 5:40:00 PM", "59.9", "4.02", "3.35", "1034", "120"],
        [ident(104), "11/06/2025 12:00:00 AM", "66.1", "3.9", "3.3", "95", "133"],
    ]
    return text([",".join(f'"{cell}"' for cell in row) for row in rows])


def short_years():
    rows = [WEIGHTS, [ident(101), "13.01.26", "604"], [ident(102), "4.2.26", "588"], [ident(103), "13/01/26", "611"],
            [ident(104), "26-01-13", "600"]]
    return text(rows, encoding=WINDOWS)


def numbers_as_text():
    rows = [WEIGHTS] + [[ident(number), "14.01.2026", f"{600 + number % 5},5"] for number in range(101, 104)]
    rows.append([ident(104), "14.01.2026", "6O4"])
    return xlsx([("Лист1", rows, [], ())])


def formula_texts():
    rows = [WEIGHTS] + [[f'="{ident(number)}"', "15.01.2026", f'="{600 + number % 5},5"'] for number in range(101, 104)]
    return text(rows, encoding=BOM)


def percents():
    rows = [["Инд.№", "Дата контроля", "Удой, кг", "Жир, %", "Белок, %"]]
    for number in range(101, 104):
        rows.append([ident(number), day(2026, 1, 27), Shown(milk(number, 1), "0.0"), Shown(round(fat(number, 1) / 100, 4), "0.00%"),
                     Shown(round(protein(number, 1) / 100, 4), "0%")])
    rows.append([ident(104), day(2026, 1, 27), Shown(0.25, "0%"), Shown(0.04, "0.0%"), Shown(0.033, "0.0%")])
    return xlsx([("Жир и белок", rows, [], ())])


def zeros():
    rows = [WEIGHTS, [Shown(int(ident(101)), "000000000000000"), day(2026, 1, 16), Shown(612, "0000")],
            [Shown(402, "000"), day(2026, 1, 16), 598], [Shown(403, "0000"), day(2026, 1, 16), 603],
            [Shown(int(ident(104)), "000 000 000 000 000"), day(2026, 1, 16), 607]]
    return xlsx([("Вес", rows, [], ())])


def since_1904():
    rows = [WEIGHTS] + [[ident(number), day(2026, 1, 19), 600 + number % 5] for number in range(101, 103)]
    rows.append([ident(103), Shown(44579, "General"), 615])
    return xlsx([("Sheet1", rows, [], ())], since_1904=True)


def web_page():
    cells = "".join(f"<td>{cell}</td>" for cell in [ident(101), "20.01.2026", "612"])
    heads = "".join(f"<th>{title}</th>" for title in WEIGHTS)
    page = f'<html><meta charset="utf-8"><table><tr>{heads}</tr><tr>{cells}</tr></table></html>\r\n'
    return page.encode()


def blank_rows():
    rows = [[], WEIGHTS]
    for number in range(101, 104):
        rows += [[""] * 3] * 40 + [[], [ident(number), "20.01.2026", str(600 + number % 5)]]
    return text(rows + [[""] * 3] * 400, encoding=WINDOWS)


def bars():
    rows = ["Отчёт по взвешиванию", WEIGHTS] + [[ident(number), "21.01.2026", f"{600 + number % 5},5"] for number in range(101, 104)]
    return text(rows, sep="|")


def months():
    def sheet(month):
        return [["Взвешивание"], WEIGHTS] + [[ident(number), day(2025, month, 9), 580 + month + number % 5] for number in (101, 102)]

    summary = [["Свод за квартал"], ["Месяц", "Голов", "Среднее"], ["Октябрь", 2, 591], ["Ноябрь", 2, 592]]
    return xlsx([("Октябрь", sheet(10), [], ()), ("Ноябрь", sheet(11), [], ()), ("Свод", summary, [], ()), ("Лист4", [], [], ())])


def robot_day():
    rows = ["sep=,", ["animal", "date", "milkYield", "milkings", "origin", "Робот №"]]
    for number in range(101, 105):
        rows.append([tag(number), "2026-02-12T00:00:00", str(milk(number, 2)), str(2 + number % 2), "Робот", "2"])
    rows[4][4] = "карусель"
    return text(rows, sep=",")


FILES = {
    "01-animals.csv": animals,
    "02-lab-january.xlsx": lab_xlsx,
    "03-lab-january-again.csv": lab_again,
    "04-parlour-february.csv": parlour,
    "05-control-december.csv": lambda: control(False),
    "06-control-december-corrected.csv": lambda: control(True),
    "07-bought.csv": bought,
    "08-service-journal.xls": service_journal,
    "09-calvings-and-services.xlsx": two_sheets,
    "10-unknown-columns.csv": unknown_columns,
    "11-scales-pounds.csv": scales,
    "12-english-tests.csv": english,
    "13-heifers.csv": heifers,
    "14-american-units.csv": american,
    "15-date-habits.csv": date_habits,
    "16-exteriors.ods": exteriors,
    "17-dna-tests.csv": dna,
    "18-gradings.xlsx": gradings,
    "19-shows.csv": shows,
    "20-robot.ndjson": robot,
    "21-ai-program.ndjson": ai_program,
    "22-ambiguous.csv": ambiguous,
    "23-price-list.xlsx": price_list,
    "24-password.xlsx": password,
    "25-spoiled-numbers.csv": spoiled,
    "26-unicode-text.csv": unicode_text,
    "27-report-1c.xls": report_1c,
    "28-lab-two-headers.xlsx": lab_two_headers,
    "29-dhi.csv": dhi,
    "30-short-years.csv": short_years,
    "31-numbers-as-text.xlsx": numbers_as_text,
    "32-formula-texts.csv": formula_texts,
    "33-percents.xlsx": percents,
    "34-zeros.xlsx": zeros,
    "35-since-1904.xlsx": since_1904,
    "36-web-page.xls": web_page,
    "37-blank-rows.csv": blank_rows,
    "38-bars.csv": bars,
    "39-months.xlsx": months,
    "40-robot-day.csv": robot_day,
}


def main():
    folder = Path(__file__).parent / "files"
    if "--check" in sys.argv[1:]:
        other = [name for name, made in FILES.items() if not (folder / name).is_file() or (folder / name).read_bytes() != made()]
        other += sorted(path.name for path in folder.iterdir() if path.name not in FILES)
        print("\n".join(other) or "all are as made")
        return bool(other)
    folder.mkdir(exist_ok=True)
    for name, made in FILES.items():
        (folder / name).write_bytes(made())
    return 0


if __name__ == "__main__":
    sys.exit(main())
