"""Makes the files of this folder: python3 make.py (openpyxl 3.1, xlwt 1.3, odfpy 1.4).

All have the same list: a title over four columns, an empty row, the header, a cow over two rows (merged),
dates, a whole number, a number of 15 digits, yes or no, an error, a text that begins with "=".
"""
import datetime as dt

HEAD = ["Инд.№", "Дата контроля", "Удой, кг", "Чип", "Да", "Жир, %"]
DAY = [dt.date(2025, 3, 1), dt.date(2025, 4, 1)]
ROWS = [
    ["RU1001", DAY[0], 31.5, 643000000000123, True, 4.1],
    [None, DAY[1], 28, 643000000000123, False, None],
    ["=RU1002", dt.datetime(2025, 4, 1, 6, 30), 0.1 + 0.2, None, None, "н/д"],
]


def xlsx(name, epoch=None):
    from openpyxl import Workbook
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    book = Workbook()
    if epoch:
        book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    sheet.title = "Контроль"
    sheet["A1"] = "Ферма «Заря», & сыновья"
    sheet.merge_cells("A1:D1")
    for column, text in enumerate(HEAD, 1):
        sheet.cell(3, column, text)
    for line, row in enumerate(ROWS, 4):
        for column, value in enumerate(row, 1):
            cell = sheet.cell(line, column)
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"
            if isinstance(value, dt.datetime):
                cell.number_format = "dd.mm.yyyy hh:mm"
            elif isinstance(value, dt.date):
                cell.number_format = "dd.mm.yyyy"
    sheet.merge_cells("A4:A5")
    sheet["A8"] = "#N/A"
    sheet["A8"].data_type = "e"
    other = book.create_sheet("Пусто")
    other["C7"] = "один"
    book.save(name)


def xls(name, epoch=None):
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    if epoch:
        book.dates_1904 = True
    sheet = book.add_sheet("Контроль")
    sheet.write_merge(0, 0, 0, 3, "Ферма «Заря», & сыновья")
    day = xlwt.easyxf(num_format_str="DD.MM.YYYY")
    time = xlwt.easyxf(num_format_str="DD.MM.YYYY HH:MM")
    for column, text in enumerate(HEAD):
        sheet.write(2, column, text)
    for line, row in enumerate(ROWS, 3):
        for column, value in enumerate(row):
            if line in (3, 4) and column == 0:
                continue
            if isinstance(value, dt.datetime):
                sheet.write(line, column, value, time)
            elif isinstance(value, dt.date):
                sheet.write(line, column, value, day)
            elif value is not None:
                sheet.write(line, column, value)
    sheet.write_merge(3, 4, 0, 0, "RU1001")
    sheet.row(7).set_cell_error(0, "#N/A!")
    book.add_sheet("Пусто").write(6, 2, "один")
    book.save(name)


def ods(name):
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import CoveredTableCell, Table, TableCell, TableRow
    from odf.text import P

    book = OpenDocumentSpreadsheet()
    table = Table(name="Контроль")
    book.spreadsheet.addElement(table)

    def add(cells, **more):
        line = TableRow(**more)
        table.addElement(line)
        for cell in cells:
            line.addElement(cell)

    def cell(value, **more):
        if value is None:
            return TableCell(**more)
        if isinstance(value, bool):
            one = TableCell(valuetype="boolean", booleanvalue=str(value).lower(), **more)
        elif isinstance(value, (int, float)):
            one = TableCell(valuetype="float", value=repr(value), **more)
        elif isinstance(value, dt.date):
            one = TableCell(valuetype="date", datevalue=value.isoformat(), **more)
        else:
            one = TableCell(valuetype="string", **more)
        one.addElement(P(text=str(value)))
        return one

    add([cell("Ферма «Заря», & сыновья", numbercolumnsspanned=4), CoveredTableCell(numbercolumnsrepeated=3)])
    add([TableCell(numbercolumnsrepeated=16384)])
    add([cell(text) for text in HEAD])
    first, second, third = ROWS
    add([cell("RU1001", numberrowsspanned=2)] + [cell(value) for value in first[1:]])
    add([CoveredTableCell()] + [cell(value) for value in second[1:]])
    add([cell(value) for value in third])
    add([TableCell(numbercolumnsrepeated=16384)])
    add([cell("#N/A")])
    add([TableCell(numbercolumnsrepeated=16384)], numberrowsrepeated=1048568)
    other = Table(name="Пусто")
    book.spreadsheet.addElement(other)
    other.addElement(TableRow(numberrowsrepeated=6))
    line = TableRow()
    other.addElement(line)
    line.addElement(TableCell(numbercolumnsrepeated=2))
    line.addElement(cell("один"))
    book.save(name)


def formats(name):
    """Numbers whose formats show more than the number."""
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("A")
    numbers = [
        (800, "0000"), (0.041, "0.00%"), (96000200077, "000 000 000 000"), (800, '"RU"0000'), (612, '0" кг"'),
        (31.5, "0000"),
    ]
    for column, (number, code) in enumerate(numbers):
        sheet.write(0, column, number, xlwt.easyxf(num_format_str=code))
    book.save(name)


xlsx("tests.xlsx")
xlsx("tests-1904.xlsx", 1904)
xls("tests.xls")
xls("tests-1904.xls", 1904)
ods("tests.ods")
formats("formats.xls")
