"""Makes the fonts of this folder anew: python3 make.py (with fonttools; fonts-paratype and fonts-dejavu-core of Debian)."""
import subprocess

from fontTools.ttLib import TTFont

FROM = "/usr/share/fonts/truetype/"
# Latin with its accents, Cyrillic of all languages of Russia, and the signs of certificates and protocols.
LETTERS = (
    "U+0020-007E,U+00A0-017F,U+0218-021B,U+02C6,U+02C7,U+02DC,U+03BC,U+0400-052F,U+2010-2015,U+2018-201E,U+2020-2022,"
    "U+2026,U+2030,U+2032,U+2033,U+2039,U+203A,U+2044,U+20AC,U+20BD,U+2116,U+2122,U+2202,U+2211,U+2212,U+2248,U+2260,"
    "U+2264,U+2265"
)
SIGNS = "U+0020,U+2190-2195,U+21D0-21D5,U+25A1,U+2605,U+2606,U+2640,U+2642,U+2713,U+2717,U+FFFD"


def subset(source, target, characters, family, style, name):
    subprocess.check_call(
        [
            "pyftsubset", FROM + source, "--unicodes=" + characters, "--output-file=" + target, "--layout-features=",
            "--no-hinting", "--notdef-outline", "--name-IDs=0,1,2,3,4,5,6,13,14", "--name-languages=0x409",
            "--drop-tables+=DSIG,GPOS,GSUB,kern,FFTM,GDEF",
        ]
    )
    font = TTFont(target, recalcTimestamp=False)
    for record in font["name"].names:
        new = {1: family, 2: style, 3: name, 4: f"{family} {style}", 6: name}.get(record.nameID)
        if new:
            font["name"].setName(new, record.nameID, record.platformID, record.platEncID, record.langID)
    font["head"].modified = font["head"].created
    font.save(target)


subset("paratype/PTS55F.ttf", "herdbook-sans.ttf", LETTERS, "Herdbook Sans", "Regular", "HerdbookSans-Regular")
subset("paratype/PTS75F.ttf", "herdbook-sans-bold.ttf", LETTERS, "Herdbook Sans", "Bold", "HerdbookSans-Bold")
subset("dejavu/DejaVuSans.ttf", "signs.ttf", SIGNS, "Herdbook Signs", "Book", "HerdbookSigns")
