"""The forms of files that `make.py` writes: rows as text, XLSX, XLS, ODS and lines of JSON, the same bytes each time."""

import datetime as dt
import hashlib
import io
import json
import re
import zipfile

# When all files were made, as they say inside.
MADE = dt.datetime(2026, 2, 20, 9, 0, 0)


class Error(str):
    """A formula error in a cell: `#N/A`."""


class Shown:
    """A number under a format."""

    def __init__(self, value, form):
        self.value, self.form = value, form


def quoted(cell, sep):
    if any(sign in cell for sign in (sep, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def text(rows, sep=";", encoding="utf-8", end="\r\n", mark=b""):
    """Cells with a separator between them, behind a mark. A row that is no list is a line as it stands."""
    lines = [row if isinstance(row, str) else sep.join(quoted(cell, sep) for cell in row) for row in rows]
    return mark + "".join(line + end for line in lines).encode(encoding)


def ndjson(rows):
    """A JSON object in each line; None is an empty line."""
    lines = ["" if row is None else json.dumps(row, ensure_ascii=False) for row in rows]
    return "".join(line + "\n" for line in lines).encode()


def settled(packed):
    """A zip file without the time at which it was made."""
    out = io.BytesIO()
    stamp = MADE.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.infolist():
            body = old.read(part)
            if part.filename in ("docProps/core.xml", "meta.xml"):
                body = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", stamp, body)
            entry = zipfile.ZipInfo(part.filename, MADE.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_STORED if part.filename == "mimetype" else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            new.writestr(entry, body)
    return out.getvalue()


def xlsx(sheets, since_1904=False):
    """Sheets by name: rows from 1, areas that are merged (`A1:K1`), and cells that show no date though they have one."""
    from openpyxl import Workbook
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    book = Workbook()
    if since_1904:
        book.epoch = CALENDAR_MAC_1904
    book.remove(book.active)
    for name, rows, merged, plain in sheets:
        sheet = book.create_sheet(name)
        for number, row in enumerate(rows, 1):
            for column, value in enumerate(row, 1):
                if value is None:
                    continue
                shown = isinstance(value, Shown)
                cell = sheet.cell(number, column, value.value if shown else value)
                if shown:
                    cell.number_format = value.form
                elif isinstance(value, Error):
                    cell.data_type = "e"
                elif isinstance(value, str):
                    cell.data_type = "s"
                elif isinstance(value, dt.date):
                    cell.number_format = "General" if cell.coordinate in plain else "dd.mm.yyyy"
                elif isinstance(value, int) and value > 10**11:
                    cell.number_format = "0"
        for area in merged:
            sheet.merge_cells(area)
    book.properties.creator = "Заря"
    out = io.BytesIO()
    book.save(out)
    return settled(out.getvalue())


def xls(sheets):
    """Sheets by name: rows from 1, and merged areas (first row, last row, first column, last column, from 0)."""
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    day = xlwt.easyxf(num_format_str="dd.mm.yyyy")
    whole = xlwt.easyxf(num_format_str="0")
    plain = xlwt.easyxf()
    for name, rows, merged in sheets:
        sheet = book.add_sheet(name)
        heads = {(top, left): (top, bottom, left, right) for top, bottom, left, right in merged}
        for number, row in enumerate(rows):
            for column, value in enumerate(row):
                if value is None:
                    continue
                style = plain
                if isinstance(value, dt.date):
                    style = day
                elif isinstance(value, int) and value > 10**11:
                    style = whole
                if (number, column) in heads:
                    sheet.write_merge(*heads[number, column], value, style)
                else:
                    sheet.write(number, column, value, style)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def ods(name, rows, merged):
    """A sheet: rows from 1, merged first cells by row (columns), and the empty rest that office programs write."""
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import CoveredTableCell, Table, TableCell, TableRow
    from odf.text import P

    book = OpenDocumentSpreadsheet()
    table = Table(name=name)
    book.spreadsheet.addElement(table)

    def cell(value, **more):
        if value is None:
            return TableCell(**more)
        if isinstance(value, dt.date):
            one, shown = TableCell(valuetype="date", datevalue=value.isoformat(), **more), value.strftime("%d.%m.%Y")
        elif isinstance(value, (int, float)):
            one, shown = TableCell(valuetype="float", value=repr(value), **more), str(value).replace(".", ",")
        else:
            one, shown = TableCell(valuetype="string", **more), value
        one.addElement(P(text=shown))
        return one

    for number, row in enumerate(rows, 1):
        line = TableRow()
        table.addElement(line)
        if not row:
            line.addElement(TableCell(numbercolumnsrepeated=16384))
            continue
        for column, value in enumerate(row):
            width = merged.get(number) if column == 0 else None
            if width:
                line.addElement(cell(value, numbercolumnsspanned=width, numberrowsspanned=1))
                line.addElement(CoveredTableCell(numbercolumnsrepeated=width - 1))
            else:
                line.addElement(cell(value))
    rest = TableRow(numberrowsrepeated=1048576 - len(rows))
    table.addElement(rest)
    rest.addElement(TableCell(numbercolumnsrepeated=16384))
    out = io.BytesIO()
    book.write(out)
    return settled(out.getvalue())


def locked(workbook, password):
    """A workbook under a password (agile encryption). Its salts are no secret here: they are always the same."""
    from msoffcrypto.format.ooxml import OOXMLFile
    from msoffcrypto.method import ecma376_agile
    from msoffcrypto.method.container import ecma376_encrypted

    asked = [0]

    def same(size):
        asked[0] += 1
        seed = f"tests/packages {asked[0]}".encode()
        return hashlib.shake_256(seed).digest(size)

    class Clock(dt.datetime):
        @classmethod
        def now(cls, tz=None):
            return MADE

    chance, clock = ecma376_agile._random_buffer, ecma376_encrypted.datetime
    ecma376_agile._random_buffer, ecma376_encrypted.datetime = same, Clock
    try:
        out = io.BytesIO()
        OOXMLFile(io.BytesIO(workbook)).encrypt(password, out)
        return out.getvalue()
    finally:
        ecma376_agile._random_buffer, ecma376_encrypted.datetime = chance, clock
