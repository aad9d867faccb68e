//! The parsed library: each function or value of `lua/lib` is one piece.

use std::collections::{BTreeMap, BTreeSet};

use super::inline::{Inline, lay_in};
use super::source::{Token, bare, rewrite, tokens, word};

/// A function or a value of the library.
#[derive(Clone)]
pub(super) struct Piece {
    /// `LIBRARY.NAME`.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Source of the piece without comments, beginning with the keyword `function` or with the name.
    pub(super) body: String,
    /// Names of the pieces that the body uses.
    pub(super) uses: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A constant. Its value replaces its name.
    Constant,
    /// A value. The script defines it before the pieces that use it.
    Value,
    Function {
        hot: bool,
    },
}

/// All pieces, by file, in order.
#[derive(Clone)]
pub(super) struct Library {
    /// Names of the files, which are the parts of pieces' names before the dot.
    names: BTreeSet<String>,
    pieces: Vec<Piece>,
    /// Index of each piece.
    places: BTreeMap<String, usize>,
    inlines: BTreeMap<String, Inline>,
}

impl Library {
    /// Parses files, given as text by name. `made`: the name of the file that `with` adds for each command.
    pub(super) fn read(files: &BTreeMap<String, String>, made: &str) -> Result<Self, String> {
        let names = files.keys().cloned().chain([made.to_owned()]).collect();
        let (pieces, places, inlines) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let mut library = Self { names, pieces, places, inlines };
        for (name, text) in files {
            library.take_apart(name, text).map_err(|what| format!("lua/lib/**/{name}.lua: {what}"))?;
        }
        library.prepare(0)?;
        Ok(library)
    }

    /// Returns the library of one command, with the text of its generated file.
    pub(super) fn with(&self, made: &str, text: &str) -> Result<Self, String> {
        let mut library = self.clone();
        library.take_apart(made, text)?;
        library.prepare(self.pieces.len())?;
        for piece in &library.pieces {
            if let Some(unknown) = piece.uses.iter().find(|name| library.piece(name).is_none()) {
                return Err(format!("{}: {unknown} is not in the library", piece.name));
            }
            if matches!(piece.kind, Kind::Function { .. }) {
                continue;
            }
            if let Some(circle) = library.way(&piece.name, &piece.name) {
                return Err(format!(
                    "a value must be defined before its users, but this one needs itself: {}",
                    circle.join(" -> ")
                ));
            }
        }
        Ok(library)
    }

    /// Prepares the pieces with this index or a larger one.
    fn prepare(&mut self, first: usize) -> Result<(), String> {
        let mut rest = self.pieces.split_off(first);
        for piece in &mut rest {
            piece.body = self.prepared(&piece.body).map_err(|what| format!("{}: {what}", piece.name))?;
            let needs = match piece.kind {
                Kind::Function { .. } => piece.body.as_str(),
                Kind::Constant | Kind::Value => piece.body.split_once('=').unwrap_or_default().1,
            };
            piece.uses = self.references(needs);
        }
        self.pieces.append(&mut rest);
        Ok(())
    }

    pub(super) fn piece(&self, name: &str) -> Option<&Piece> {
        self.pieces.get(*self.places.get(name)?)
    }

    /// Returns the index of a piece in the order of the library.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns the pieces with these names, in the order of the library.
    pub(super) fn named(&self, names: &BTreeSet<String>) -> Vec<&Piece> {
        self.pieces.iter().filter(|piece| names.contains(&piece.name)).collect()
    }

    /// Returns code as scripts contain it: without comments, and with inlined pieces.
    pub(super) fn prepared(&self, code: &str) -> Result<String, String> {
        if let Some((name, line)) = self.hidden(code) {
            return Err(format!("a local hides the library `{name}`, give it another name: {line}"));
        }
        lay_in(&bare(code), &self.inlines)
    }

    /// Returns every `LIBRARY.NAME` outside of strings and comments.
    pub(super) fn references(&self, code: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        rewrite(code, |library, name| {
            if self.names.contains(library) {
                found.insert(format!("{library}.{name}"));
            }
            None
        });
        found
    }

    /// Returns the named pieces and all pieces that they need, directly or indirectly.
    pub(super) fn reach(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let mut reached = names.clone();
        let mut rest: Vec<&String> = names.iter().collect();
        while let Some(piece) = rest.pop().and_then(|name| self.piece(name)) {
            rest.extend(piece.uses.iter().filter(|name| reached.insert((*name).clone())));
        }
        reached
    }

    /// Finds a local variable that has the name of a library, and returns the name and the line. Members of this
    /// variable look like pieces.
    fn hidden<'a>(&self, code: &'a str) -> Option<(&'a str, &'a str)> {
        // `due`: a name is expected. `listed`: a name of a list has been read. `head`: the parameters of `function` are
        // being read.
        let (mut due, mut listed, mut head) = (false, false, false);
        let mut at = 0;
        for token in tokens(code) {
            match token {
                Token::Word("local" | "for") => due = true,
                Token::Word("function") => head = true,
                Token::Word(name) if due => {
                    if self.names.contains(name) {
                        let start = code.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
                        return Some((name, code.get(start..)?.lines().next()?.trim()));
                    }
                    (due, listed) = (false, true);
                }
                Token::Sign("(") if head => (due, head) = (true, false),
                Token::Sign(",") if listed => due = true,
                Token::Word(_) | Token::Sign(".") if head => {}
                _ if token.matters() => (due, listed) = (false, false),
                _ => {}
            }
            at += token.as_str().len();
        }
        None
    }

    /// Returns the chain of pieces, each of which uses the next, from the piece `from` to the piece `to`.
    fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut ways = vec![vec![from.to_owned()]];
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop() {
            for name in way.last().and_then(|last| self.piece(last)).iter().flat_map(|piece| &piece.uses) {
                let longer = [way.as_slice(), std::slice::from_ref(name)].concat();
                if name == to {
                    return Some(longer);
                }
                if seen.insert(name.clone()) {
                    ways.insert(0, longer);
                }
            }
        }
        None
    }

    /// Parses a file at its top level.
    fn take_apart(&mut self, library: &str, text: &str) -> Result<(), String> {
        let mut marks = Vec::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if line.is_empty() || line == format!("local {library} = {{}}") {
                marks.clear();
            } else if let Some(comment) = line.strip_prefix("--") {
                marks.extend(comment.strip_prefix(" @"));
            } else if let Some((name, last)) = opening(line, library) {
                let mut body = format!("{line}\n");
                if line != last && !line.ends_with(&last) {
                    for line in lines.by_ref() {
                        body += &format!("{line}\n");
                        if line == last {
                            break;
                        }
                    }
                }
                // A long string continues on the next lines.
                while let Some(line) = lines.next_if(|line| line.starts_with("  ..")) {
                    body += &format!("{line}\n");
                }
                self.add(library, name, last == "end", body, &marks)?;
                marks.clear();
            } else {
                return Err(format!("neither a function nor a value of {library}: {line}"));
            }
        }
        Ok(())
    }

    fn add(&mut self, library: &str, name: &str, function: bool, body: String, marks: &[&str]) -> Result<(), String> {
        let marked = |mark| marks.contains(&mark);
        let value = if constant(name, &body) { Kind::Constant } else { Kind::Value };
        let name = format!("{library}.{name}");
        if let Some(mark) = marks.iter().find(|mark| !["hot", "inline"].contains(mark)) {
            return Err(format!("{name} is marked @{mark}, but the only marks are @hot and @inline"));
        }
        let kind = match function {
            true => Kind::Function { hot: marked("hot") },
            false if !marks.is_empty() => return Err(format!("{name} is marked, but only functions can be")),
            false => value,
        };
        if marked("inline") {
            self.inlines.insert(name.clone(), Inline::read(&bare(&body)).map_err(|what| format!("{name}: {what}"))?);
        }
        if self.places.insert(name.clone(), self.pieces.len()).is_some() {
            return Err(format!("{name} is defined twice"));
        }
        self.pieces.push(Piece { name, kind, body, uses: BTreeSet::new() });
        Ok(())
    }
}

/// Returns the name of the piece that begins with this line, and the line that ends the piece.
fn opening<'a>(line: &'a str, library: &str) -> Option<(&'a str, String)> {
    let function = line.strip_prefix(&format!("function {library}."));
    let rest = function.or_else(|| line.strip_prefix(&format!("{library}.")))?;
    let last = match function {
        Some(_) => "end".into(),
        None if line.ends_with('{') => "}".into(),
        None => line.into(),
    };
    Some((rest.split(|c| !word(c)).next().unwrap_or_default(), last))
}

/// Returns true if the name is in capitals, and the value is not a table of several lines.
fn constant(name: &str, body: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_lowercase()) && !body.lines().next().is_some_and(|line| line.ends_with('{'))
}
