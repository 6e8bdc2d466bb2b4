//! Which encoding a text file has: by its mark, else by its bytes.

use crate::fault::Fault;
use crate::source::Source;
use encoding_rs::{Decoder, DecoderResult};
use std::io::{BufRead, BufReader, Read};

/// Bytes in which UTF-16 without its mark is looked for.
const BEGIN: usize = 1 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without its mark.
    Utf8,
    /// UTF-16, the lower byte first.
    Utf16Le,
    /// UTF-16, the upper byte first.
    Utf16Be,
    /// Windows-1251, as Russian programs write it.
    Windows1251,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1251 => "windows-1251",
        }
    }

    /// The encoding of a name, in any capitals.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Utf8, Self::Utf16Le, Self::Utf16Be, Self::Windows1251];
        all.into_iter().find(|one| one.name().eq_ignore_ascii_case(name))
    }

    fn of_mark(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xef, 0xbb, 0xbf, ..] => Some(Self::Utf8),
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// UTF-16 without its mark: pairs of bytes that are Latin and Cyrillic letters, digits and usual signs, and bytes of
    /// zero, which no other text has.
    fn of_pairs(begin: &[u8]) -> Option<Self> {
        let begin = begin.get(..BEGIN).unwrap_or(begin);
        let is_usual = |unit: u16| {
            matches!(
                unit,
                0x09 | 0x0a | 0x0d | 0x20..=0x7e | 0xa0..=0xff | 0x400..=0x4ff | 0x2010..=0x2122
            )
        };
        let all = |unit: fn([u8; 2]) -> u16| {
            begin.chunks_exact(2).all(|pair| matches!(pair, [one, other] if is_usual(unit([*one, *other]))))
        };
        if !begin.contains(&0) {
            return None;
        }
        match (all(u16::from_le_bytes), all(u16::from_be_bytes)) {
            (true, false) => Some(Self::Utf16Le),
            (false, true) => Some(Self::Utf16Be),
            _ => None,
        }
    }
}

/// Of a text that begins so: by its mark, or UTF-16 by its bytes of zero.
pub(crate) fn of_begin(begin: &[u8]) -> Option<Encoding> {
    Encoding::of_mark(begin).or_else(|| Encoding::of_pairs(begin))
}

/// An encoding, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    pub encoding: Encoding,
    /// 0 to 1; 1: there is no doubt, or it was said.
    pub score: f64,
}

/// Looks through a whole file.
pub(crate) fn guess(source: &Source, said: Option<Encoding>) -> Result<Guess, Fault> {
    let sure = |encoding| Guess { encoding, score: 1.0 };
    if let Some(encoding) = of_begin(&source.begin(BEGIN as u64)?).or(said) {
        return Ok(sure(encoding));
    }
    let mut bytes = BufReader::with_capacity(64 << 10, source.open()?);
    // Bytes of a letter that was not complete at the end of the last piece.
    let mut rest: Vec<u8> = Vec::new();
    let mut valid = true;
    let mut letters = Letters::default();
    loop {
        let piece = bytes.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        let count = piece.len();
        letters.count(piece);
        if valid {
            rest.extend_from_slice(piece);
            match std::str::from_utf8(&rest) {
                Ok(_) => rest.clear(),
                Err(why) if why.error_len().is_none() => {
                    rest.drain(..why.valid_up_to());
                }
                Err(_) => valid = false,
            }
        }
        bytes.consume(count);
    }
    match valid && rest.is_empty() {
        true => Ok(sure(Encoding::Utf8)),
        false => Ok(Guess { encoding: Encoding::Windows1251, score: letters.score() }),
    }
}

/// What the bytes above ASCII would be in Windows-1251.
#[derive(Default)]
struct Letters {
    high: u64,
    letters: u64,
    /// Capitals behind small letters, which other Cyrillic encodings show everywhere.
    odd: u64,
    /// Letters beside Latin ones, as in all words of Western languages.
    mixed: u64,
    before: u8,
}

impl Letters {
    fn count(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let small = |b: u8| b >= 0xe0 || b == 0xb8;
            let is_letter = |b: u8| small(b) || b >= 0xc0 || b == 0xa8;
            let is_mixed = |b: u8, other: u8| is_letter(b) && other.is_ascii_alphabetic();
            self.mixed += u64::from(is_mixed(*byte, self.before) || is_mixed(self.before, *byte));
            if *byte >= 0x80 {
                self.high += 1;
                // Letters, and № « » – — and the blank that does not break.
                let usual = matches!(byte, 0xc0..=0xff | 0xa8 | 0xb8 | 0xb9 | 0xab | 0xbb | 0x96 | 0x97 | 0xa0);
                self.letters += u64::from(usual);
                self.odd += u64::from(matches!(byte, 0xc0..=0xdf) && small(self.before));
            }
            self.before = *byte;
        }
    }

    fn score(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
        let share = |part: u64| part as f64 / self.high.max(1) as f64;
        let score = share(self.letters) - 2.0 * share(self.odd) - share(self.mixed);
        (score.clamp(0.0, 1.0) * 100.0).round() / 100.0
    }
}

/// A text file as UTF-8 without a mark.
pub(crate) struct Decoded {
    bytes: BufReader<Box<dyn Read + Send>>,
    decoder: Option<Decoder>,
    encoding: Encoding,
    /// Bytes that the encoding does not have become U+FFFD; else they end the text.
    replaces: bool,
    out: Vec<u8>,
    at: usize,
    line: u64,
    ended: bool,
}

impl Decoded {
    pub(crate) fn open(source: &Source, encoding: Encoding, replaces: bool) -> Result<Self, Fault> {
        let mark = match Encoding::of_mark(&source.begin(3)?) {
            Some(Encoding::Utf8) => 3,
            Some(_) => 2,
            None => 0,
        };
        let stream: Box<dyn Read + Send> = source.open()?;
        let mut bytes = BufReader::with_capacity(32 << 10, stream);
        let mut begin = [0; 3];
        bytes.read_exact(begin.get_mut(..mark).unwrap_or_default())?;
        let fixed = match encoding {
            Encoding::Utf8 => encoding_rs::UTF_8,
            Encoding::Utf16Le => encoding_rs::UTF_16LE,
            Encoding::Utf16Be => encoding_rs::UTF_16BE,
            Encoding::Windows1251 => encoding_rs::WINDOWS_1251,
        };
        Ok(Self {
            bytes,
            decoder: Some(fixed.new_decoder_without_bom_handling()),
            encoding,
            replaces,
            out: Vec::new(),
            at: 0,
            line: 1,
            ended: false,
        })
    }

    fn fill(&mut self) -> std::io::Result<()> {
        let piece = self.bytes.fill_buf()?;
        let last = piece.is_empty();
        let Some(decoder) = &mut self.decoder else { return Ok(()) };
        self.out.resize(piece.len() * 3 + 16, 0);
        let (result, read, written) = match self.replaces {
            true => {
                let (_, read, written, _) = decoder.decode_to_utf8(piece, &mut self.out, last);
                (DecoderResult::InputEmpty, read, written)
            }
            false => decoder.decode_to_utf8_without_replacement(piece, &mut self.out, last),
        };
        let out = self.out.get(..written).unwrap_or_default();
        let lines = out.iter().filter(|b| **b == b'\n').count() as u64;
        self.line += lines;
        self.out.truncate(written);
        self.bytes.consume(read);
        self.at = 0;
        match result {
            DecoderResult::Malformed(..) => {
                Err(Fault::Encoding { line: self.line, encoding: self.encoding.name() }.into())
            }
            DecoderResult::InputEmpty | DecoderResult::OutputFull => {
                if last {
                    self.decoder = None;
                    self.ended = true;
                }
                Ok(())
            }
        }
    }
}

impl Read for Decoded {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.at >= self.out.len() && !self.ended {
            self.fill()?;
        }
        let ready = self.out.get(self.at..).unwrap_or_default();
        let count = ready.len().min(out.len());
        for (to, from) in out.iter_mut().zip(ready) {
            *to = *from;
        }
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Guess {
        guess(&Source::from(bytes.to_vec()), None).unwrap()
    }

    fn text(bytes: &[u8], encoding: Encoding) -> Result<String, Fault> {
        let mut out = String::new();
        let mut decoded = Decoded::open(&Source::from(bytes.to_vec()), encoding, false)?;
        decoded.read_to_string(&mut out)?;
        Ok(out)
    }

    #[test]
    fn the_encoding_is_seen_in_the_bytes() {
        let sure = |encoding| Guess { encoding, score: 1.0 };
        assert_eq!(of("Кличка;Пол\n".as_bytes()), sure(Encoding::Utf8));
        assert_eq!(of(b"a;b"), sure(Encoding::Utf8));
        assert_eq!(of(b"\xff\xfea\0"), sure(Encoding::Utf16Le));
        assert_eq!(of(b"\xfe\xff\0a"), sure(Encoding::Utf16Be));
        let wide = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "Кличка № 1;Пол – ж\r\n".encode_utf16().flat_map(unit).collect()
        };
        assert_eq!(of(&wide(u16::to_le_bytes)), sure(Encoding::Utf16Le));
        assert_eq!(of(&wide(u16::to_be_bytes)), sure(Encoding::Utf16Be));
        // Кличка;Зорька № 1
        let guessed = of(b"\xca\xeb\xe8\xf7\xea\xe0;\xc7\xee\xf0\xfc\xea\xe0 \xb9 1");
        assert_eq!(guessed.encoding, Encoding::Windows1251);
        assert!(guessed.score > 0.9, "{guessed:?}");
        // The same in KOI8-R: small letters and capitals the other way round.
        let koi = b"\xeb\xcc\xc9\xde\xcb\xc1;\xfa\xcf\xd2\xd8\xcb\xc1";
        assert!(of(koi).score < 0.7, "{:?}", of(koi));
        assert!(of(b"\x80\x81\x90\x91").score < 0.1);
    }

    #[test]
    fn other_encodings_of_one_byte_are_in_doubt() {
        let russian = "Инд.№;Кличка;Дата замера;Удой, кг\n960001000101;Зорька;01.02.2026;25\n";
        let in_encoding = |encoding: &'static encoding_rs::Encoding, text: &str| of(&encoding.encode(text).0).score;
        for encoding in [encoding_rs::IBM866, encoding_rs::KOI8_R, encoding_rs::ISO_8859_5, encoding_rs::X_MAC_CYRILLIC]
        {
            let score = in_encoding(encoding, russian);
            assert!(score < 0.9, "{}: {score}", encoding.name());
        }
        assert!(of(&[russian.as_bytes(), b"Zo\xe9\n"].concat()).score < 0.9);
        assert!(in_encoding(encoding_rs::WINDOWS_1252, "Ohrmarke;Kühe\n1;Zoé\n").abs() < 0.1);
        // A Latin letter among Cyrillic ones is no other encoding.
        let windows = in_encoding(encoding_rs::WINDOWS_1251, &russian.replace("Зорька", "Зоpька"));
        assert!(windows > 0.9, "{windows}");
    }

    #[test]
    fn a_letter_over_two_pieces_is_one_letter() {
        let mut bytes = vec![b'a'; (64 << 10) - 1];
        bytes.extend("ё".repeat(70_000).as_bytes());
        assert_eq!(of(&bytes).encoding, Encoding::Utf8);
        assert_eq!(text(&bytes, Encoding::Utf8).unwrap().len(), bytes.len());
    }

    #[test]
    fn every_encoding_becomes_utf_8_without_a_mark() {
        assert_eq!(text(b"\xef\xbb\xbfa", Encoding::Utf8).unwrap(), "a");
        assert_eq!(text(b"\xff\xfe\x34\x04\n\0", Encoding::Utf16Le).unwrap(), "д\n");
        assert_eq!(text(b"\xfe\xff\x04\x34", Encoding::Utf16Be).unwrap(), "д");
        assert_eq!(text(b"\xca\xb9\xb8", Encoding::Windows1251).unwrap(), "К№ё");
        let wrong = text(b"a\nb\n\xca\xe0", Encoding::Utf8).unwrap_err();
        assert_eq!(wrong, Fault::Encoding { line: 3, encoding: "utf-8" });
        assert_eq!(text(b"\xff\xfea", Encoding::Utf16Le).unwrap_err().code(), "wrong-encoding");
    }
}
