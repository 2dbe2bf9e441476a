//! A scan of the text by its lexical rules alone: strings, comments and braces that never end,
//! braces nested too deep, values that are missing, and quantities without quotes
//! (`block=4MiB`), of which the parser would report only the first and at the wrong line. It finds
//! where nodes end and blocks begin, and refuses sizes that no study has. Everything else is the
//! parser's, which reads one node at a time.

use crate::mistake::{Collected, MistakeKind};
use crate::source::Span;

/// How deep nodes may lie in nodes.
const DEEPEST: usize = 32;

/// Words and strings of a text: chosen. The parser takes some 5 µs for each, so all take a few
/// seconds; a disk with its properties has some 20.
const MOST_WORDS: usize = 500_000;

/// Signs of one node that the parser may go one level down for: `(`, `)`, `#` and `/` outside of
/// strings. Chosen: more than annotations and truth values need.
const MOST_SIGNS: usize = 256;

/// What ends the words of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A line end, `;`, or the end of the text.
    End,
}

/// An edge and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub at: usize,
    pub edge: Edge,
}

/// A text that is lexically sound, byte for byte as long as the original.
pub(crate) struct Scanned {
    /// Where the words of nodes end, in order; the last is the end of the text.
    pub marks: Vec<Mark>,
    /// Comments blanked; each word that was reported replaced by one that parses.
    pub text: String,
    /// The same with braces in strings replaced, where there are any.
    pub masked: Option<String>,
    /// Starts of the replaced words.
    pub failed: Vec<usize>,
}

#[derive(Default)]
struct Scan<'a> {
    marks: Vec<Mark>,
    text: &'a [u8],
    at: usize,
    out: Vec<u8>,
    braces_in_strings: Vec<usize>,
    failed: Vec<usize>,
    /// Where the braces that are open were opened.
    open: Vec<usize>,
    /// Whether the last word was `/-`.
    slashed: bool,
    /// How many `/-` this line has: the parser may go one level down for each.
    slashes: usize,
    /// Whether the line goes on behind its end.
    continued: bool,
    /// Words and strings of the node so far, and of the text.
    words: usize,
    all_words: usize,
    /// Those that are bounded, of the node so far.
    signs: usize,
    /// Whether a value must follow, and whether the last word is one.
    is_assigned: bool,
    is_value: bool,
    /// Braces that close nothing.
    unopened: Vec<usize>,
    /// Mistakes behind which the scan goes on.
    wrong: Vec<(usize, String)>,
}

/// `None` where the parser should not see the text; the reason is collected then.
pub(crate) fn scan(text: &str, collected: &mut Collected) -> Option<Scanned> {
    let text_bytes = text.as_bytes();
    let mut scan = Scan { text: text_bytes, out: text_bytes.to_vec(), ..Scan::default() };
    let mut sound = true;
    scan.wrong.extend(text.char_indices().filter(|(at, c)| is_forbidden(*at, *c)).map(
        |(at, c)| (at, format!("the character U+{:04X} is not allowed in KDL", u32::from(c))),
    ));
    while scan.at < text.len() {
        if let Err((start, message)) = scan.token(text, collected) {
            collected.add(MistakeKind::Syntax, Span::study(start, start + 1), message);
            sound = false;
            if scan.open.len() > DEEPEST {
                break;
            }
        }
        if scan.all_words > MOST_WORDS {
            let message = format!("the text has more than {MOST_WORDS} words");
            collected.add(MistakeKind::Limit, Span::study(scan.at - 1, scan.at), message);
            return None;
        }
    }
    scan.mark(Edge::End);
    let Scan { marks, out, braces_in_strings, failed, mut wrong, open, unopened, .. } = scan;
    // A string that never ends may have swallowed the other brace of a pair.
    if sound {
        wrong.extend(open.into_iter().map(|at| (at, "this brace is never closed".to_owned())));
        wrong.extend(
            unopened.into_iter().map(|at| (at, "this brace has no opening one".to_owned())),
        );
    }
    sound &= wrong.is_empty();
    for (start, message) in wrong {
        collected.add(MistakeKind::Syntax, Span::study(start, start + 1), message);
    }
    let text = String::from_utf8(out).ok()?;
    let masked = (!braces_in_strings.is_empty()).then(|| masked(&text, &braces_in_strings));
    sound.then_some(Scanned { marks, text, masked, failed })
}

/// Control characters, and those that change the direction of what is read (KDL 2, disallowed
/// literal code points). The parser goes one level down for each.
fn is_forbidden(at: usize, c: char) -> bool {
    match c {
        '\u{0}'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}' => true,
        '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        '\u{feff}' => at > 0,
        _ => false,
    }
}

fn masked(text: &str, braces: &[usize]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &at in braces {
        bytes[at] = b'_';
    }
    String::from_utf8(bytes).unwrap_or_default()
}

type Step = Result<(), (usize, String)>;

impl Scan<'_> {
    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn token(&mut self, text: &str, collected: &mut Collected) -> Step {
        let rest = self.rest();
        if rest.starts_with(b"/-") {
            return self.slashdash();
        }
        let first = rest[0];
        let comment = rest.starts_with(b"//") || rest.starts_with(b"/*");
        self.slashed &= first.is_ascii_whitespace() || comment || first == b'\\';
        if self.continued && !first.is_ascii_whitespace() && !comment {
            self.wrong.push((self.at, "a \\ goes to the end of its line".to_owned()));
            self.continued = false;
        }
        let edge = match first {
            b'{' => Some(Edge::Open),
            b'}' => Some(Edge::Close),
            b';' => Some(Edge::End),
            b'\n' if !self.continued => Some(Edge::End),
            _ => None,
        };
        if let Some(edge) = edge {
            self.words = 0;
            // What a /- takes out may stand on a later line.
            if first != b'\n' || !self.slashed {
                self.mark(edge);
            }
        }
        if first == b'\n' {
            self.slashes *= usize::from(self.continued || self.slashed);
            self.continued = false;
        }
        self.continued |= first == b'\\';
        match first {
            b'"' => self.string(0),
            b'#' => self.hash(),
            b'/' if self.rest().starts_with(b"//") => self.line_comment(),
            b'/' if self.rest().starts_with(b"/*") => self.block_comment(),
            b'{' => self.open(),
            b'}' => {
                if self.open.pop().is_none() {
                    self.unopened.push(self.at);
                }
                self.after_block();
                self.skip(1)
            }
            b'=' => self.equals(),
            b'[' | b']' => {
                self.wrong.push((self.at, "a bracket belongs into quotes".to_owned()));
                self.skip(1)
            }
            b'(' | b')' | b'/' => {
                self.sign();
                self.skip(1)
            }
            b';' | b'\\' => self.skip(1),
            c if c.is_ascii_whitespace() => self.skip(1),
            _ => {
                self.word(text, collected);
                Ok(())
            }
        }
    }

    fn skip(&mut self, bytes: usize) -> Step {
        self.at += bytes;
        Ok(())
    }

    fn mark(&mut self, edge: Edge) {
        self.marks.push(Mark { at: self.at, edge });
        self.signs = 0;
        (self.is_assigned, self.is_value) = (false, false);
    }

    fn sign(&mut self) {
        self.signs += 1;
        if self.signs == MOST_SIGNS {
            let message = format!("a node has at most {MOST_SIGNS} of ( ) # and / without quotes");
            self.wrong.push((self.at, message));
        }
    }

    fn count_word(&mut self) {
        self.words += 1;
        self.all_words += 1;
        // A word in parentheses annotates the value behind it.
        if !self.text[..self.at].trim_ascii_end().ends_with(b"(") {
            self.is_value = std::mem::take(&mut self.is_assigned);
        }
    }

    /// What takes the next node, value or block out.
    fn slashdash(&mut self) -> Step {
        if self.slashed {
            self.wrong.push((self.at, "a /- cannot remove another".to_owned()));
        }
        self.slashed = true;
        self.slashes += 1;
        if self.slashes == DEEPEST {
            self.wrong.push((self.at, format!("a line has at most {DEEPEST} times /-")));
        }
        self.skip(2)
    }

    fn open(&mut self) -> Step {
        self.open.push(self.at);
        self.at += 1;
        if self.open.len() > DEEPEST {
            return Err((self.at - 1, format!("nodes are nested deeper than {DEEPEST} braces")));
        }
        Ok(())
    }

    /// The sign and whether a value follows it. A value is not itself a property: the parser
    /// would go one level down for each sign of `a=b=c`.
    fn equals(&mut self) -> Step {
        if self.words < 2 {
            // The parser recovers from each of these one level deeper than from the one before.
            let message = "a node begins with its kind; properties follow".to_owned();
            self.wrong.push((self.at, message));
        }
        if self.is_value {
            self.wrong.push((self.at, "a value ends here; a space is missing".to_owned()));
        }
        self.at += 1;
        let blanks = self.rest().iter().take_while(|c| matches!(c, b' ' | b'\t')).count();
        let next = self.rest().get(blanks).copied().unwrap_or(b'\n');
        if next.is_ascii_whitespace() || b"={};)".contains(&next) {
            self.wrong.push((self.at - 1, "a value is missing after the =".to_owned()));
        }
        self.is_assigned = true;
        // The second sign of two would be reported again.
        self.skip(if next == b'=' { blanks + 1 } else { blanks })
    }

    /// `#true`, or a string between any number of `#`.
    fn hash(&mut self) -> Step {
        self.sign();
        let hashes = self.rest().iter().take_while(|c| **c == b'#').count();
        if self.text.get(self.at + hashes) == Some(&b'"') {
            return self.string(hashes);
        }
        self.skip(hashes)
    }

    fn string(&mut self, hashes: usize) -> Step {
        let start = self.at;
        self.count_word();
        self.at += hashes;
        let quotes = if self.rest().starts_with(b"\"\"\"") { 3 } else { 1 };
        self.at += quotes;
        let mut end = vec![b'"'; quotes];
        end.resize(quotes + hashes, b'#');
        while self.at < self.text.len() {
            let rest = self.rest();
            if rest.starts_with(&end) {
                self.at += end.len();
                let ends = |c: &u8| !c.is_ascii_graphic() || b"(){};=/\\".contains(c);
                if !self.rest().first().is_none_or(ends) {
                    self.wrong.push((self.at, "a space is missing here".to_owned()));
                }
                return Ok(());
            }
            match rest[0] {
                b'\\' if hashes == 0 => {
                    if let Err(wrong) = self.escape() {
                        self.wrong.push(wrong);
                    }
                }
                b'\n' | b'\r' if quotes == 1 => break,
                b'{' | b'}' => {
                    self.braces_in_strings.push(self.at);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        // What looked like ends of strings before it on its line were beginnings.
        let line = self.text[..start].iter().rposition(|c| *c == b'\n').unwrap_or(0);
        self.wrong.retain(|(at, _)| *at < line);
        Err((start, "this string never ends".to_owned()))
    }

    /// A node ends with its block, and so must its line, but for a `;`: told here, because the
    /// parser would tell it as several other things.
    fn after_block(&mut self) {
        let mut rest = self.rest().get(1..).unwrap_or_default();
        loop {
            let blanks = rest.iter().take_while(|c| matches!(c, b' ' | b'\t' | b'\r')).count();
            rest = &rest[blanks..];
            let Some(comment) = rest.strip_prefix(b"/*") else { break };
            let Some(end) = comment.windows(2).position(|two| two == b"*/") else { return };
            rest = &comment[end + 2..];
        }
        let ends =
            rest.starts_with(b"//") || matches!(rest.first(), None | Some(b'\n' | b';' | b'}'));
        let is_word = rest.first().is_some_and(u8::is_ascii_alphabetic);
        if !ends && is_word {
            let at = self.text.len() - rest.len();
            self.wrong.push((at, "after a } comes a new line or a ;".to_owned()));
        }
    }

    /// A backslash in a string and what belongs to it.
    fn escape(&mut self) -> Step {
        let start = self.at;
        self.at += 1;
        match self.text.get(self.at) {
            Some(b'n' | b'r' | b't' | b'b' | b'f' | b's' | b'"' | b'\\') => self.skip(1),
            Some(b'u') => {
                self.at += 1;
                if !self.rest().starts_with(b"{") {
                    return Err((start, "write \\u{…} with up to six hex digits".to_owned()));
                }
                let digits = self.rest()[1..].iter().take_while(|c| c.is_ascii_hexdigit()).count();
                let text = std::str::from_utf8(&self.rest()[1..=digits]).unwrap_or_default();
                let code = u32::from_str_radix(text, 16).ok().filter(|_| digits <= 6);
                if code.and_then(char::from_u32).is_none()
                    || self.rest().get(digits + 1) != Some(&b'}')
                {
                    return Err((start, "write \\u{…} with up to six hex digits".to_owned()));
                }
                self.skip(digits + 2)
            }
            Some(c) if c.is_ascii_whitespace() => {
                let blanks = self.rest().iter().take_while(|c| c.is_ascii_whitespace()).count();
                self.skip(blanks)
            }
            _ => Err((start, "this is not an escape; write \"\\\\\" for a backslash".to_owned())),
        }
    }

    fn line_comment(&mut self) -> Step {
        while self.at < self.text.len() && !matches!(self.text[self.at], b'\n' | b'\r') {
            self.out[self.at] = b' ';
            self.at += 1;
        }
        Ok(())
    }

    fn block_comment(&mut self) -> Step {
        let (start, mut open) = (self.at, 0_usize);
        while self.at < self.text.len() {
            let step = match self.rest() {
                [b'/', b'*', ..] => {
                    open += 1;
                    2
                }
                [b'*', b'/', ..] => {
                    open -= 1;
                    2
                }
                _ => 1,
            };
            self.out[self.at..self.at + step].fill(b' ');
            self.at += step;
            if open == 0 {
                return Ok(());
            }
        }
        Err((start, "this comment never ends".to_owned()))
    }

    /// A run of characters without quotes: reported and replaced where it begins like a number
    /// and is none, or is a truth value without its `#`.
    fn word(&mut self, text: &str, collected: &mut Collected) {
        let start = self.at;
        self.count_word();
        let valued = matches!(last_byte(&text[..start]), Some(b'=' | b')'));
        let spaced = text[..start].ends_with([' ', '\t']);
        while self.at < self.text.len() && !self.ends_word() {
            if self.text[self.at] == b'/' {
                self.sign();
            }
            self.at += 1;
        }
        let word = &text[start..self.at];
        let hint = if (valued || spaced) && begins_like_a_number(word) && !is_number(word) {
            (MistakeKind::Quotes, format!("a quantity needs quotes; write \"{word}\""))
        } else if valued && matches!(word, "true" | "false" | "null") {
            (MistakeKind::Syntax, format!("write #{word}, or \"{word}\" for a text"))
        } else {
            return;
        };
        let span = Span::study(start, self.at);
        collected.add(hint.0, span, hint.1);
        for byte in &mut self.out[start..self.at] {
            *byte = b'q';
        }
        self.failed.push(start);
    }

    /// A slash belongs to a word (`195MB/s`) unless it begins a comment.
    fn ends_word(&self) -> bool {
        match self.rest() {
            [b'/', next, ..] => matches!(next, b'/' | b'*' | b'-'),
            [c, ..] => c.is_ascii_whitespace() || b"{}()[];=\\\"#".contains(c),
            [] => true,
        }
    }
}

fn last_byte(text: &str) -> Option<u8> {
    text.trim_end_matches([' ', '\t']).bytes().last()
}

fn begins_like_a_number(word: &str) -> bool {
    word.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit())
}

/// A number of KDL 2.
fn is_number(word: &str) -> bool {
    let digits = |text: &str, radix| {
        text.starts_with(|c: char| c.is_digit(radix))
            && text.chars().all(|c| c == '_' || c.is_digit(radix))
    };
    let word = word.strip_prefix(['+', '-']).unwrap_or(word);
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = word.strip_prefix(prefix) {
            return digits(rest, radix);
        }
    }
    let (mantissa, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    [whole, fraction, exponent].into_iter().all(|part| digits(part, 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_kdl_and_what_only_begins_like_one() {
        for (word, expected) in [
            ("4", true),
            ("-4_000", true),
            ("0x1F", true),
            ("1.5e-3", true),
            ("4MiB", false),
            ("1.", false),
            ("70%", false),
            ("0xg", false),
        ] {
            assert_eq!(is_number(word), expected, "{word}");
        }
    }

    #[test]
    fn strings_and_comments_hide_what_is_in_them() {
        let mut collected = Collected::default();
        let text = "a \"x=4MiB \\\" {\" #\"\"}\"# // b=4MiB {\n/* /* c=4MiB */ { */ e d=4";
        let scanned = scan(text, &mut collected).unwrap();
        assert_eq!(collected.len(), 0);
        assert_eq!(scanned.text.len(), text.len());
        assert!(scanned.text.ends_with("d=4") && !scanned.text.contains("c="));
        assert!(!scanned.masked.unwrap().contains(['{', '}']));
    }
}
