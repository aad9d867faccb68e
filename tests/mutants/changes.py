"""Every single change that is tried on lua/: what it replaces, in which line."""
import pathlib, re
from dataclasses import dataclass

SWAPS = {"==": "~=", "~=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "and": "or", "or": "and", "not": "",
         "+": "-", "-": "+", "*": "/", "/": "*", "true": "false", "false": "true",
         "min": "max", "max": "min", "floor": "ceil", "ceil": "floor"}
TOKEN = re.compile(r"--[^\n]*|'(?:[^'\\\n]|\\.)*'|\d+(?:\.\d+)?|[A-Za-z_]\w*|==|~=|<=|>=|\.\.\.?|\S")
PLACE = r"[\w.]+(\[.*?\])*"
STATEMENT = re.compile(rf"{PLACE}(, {PLACE})*( = |\()")  # an assignment to what is there, or a call
PIECE = re.compile(r"^function ([\w.]+)", re.M)
CONDITION = re.compile(r"(?:else)?if (.+) then$")

@dataclass(frozen=True)
class Change:
    file: str  # below lua/
    number: int  # of the line
    line: str  # without its indent
    becomes: str  # its text after the change
    start: int
    end: int
    new: str  # the replacement of text[start:end]
    piece: str  # of lua/lib, in which it is
    nth: int = 0  # of those in this file that look the same

    def __str__(self):
        return f"lua/{self.file}:{self.number}\n    - {self.line}\n    + {self.becomes or '(removed)'}"

    def key(self):
        return self.file, self.line, self.becomes, self.nth

    def known_as(self):
        """Names by which `known.json` can list it: this change of the line, any change of the line, any change of the
        piece."""
        return (self.file, self.line, self.becomes), (self.file, self.line, None), (self.file, self.piece, None)

def spots(text):
    """Yields the places where something can be replaced, and by what."""
    depth, before = 0, None
    for token in TOKEN.finditer(text):
        word, (start, end) = token[0], token.span()
        if word.startswith("--"):
            continue
        if depth == 0 and not text[text.rfind("\n", 0, start) + 1:start].strip():
            yield from statement(text, start)
        depth += (word in "({[") - (word in ")}]")
        if word in SWAPS:
            # In `return not x`, the space after `not` is also removed.
            yield start, end + (word == "not"), SWAPS[word] if word != "-" or operand(before) else ""
        elif word.isdigit() or word[0] == "'" and word[1:-1].isdigit():
            quote, number = "'" * (word[0] == "'"), int(word.strip("'"))
            for other in others(number, text[text.rfind("\n", 0, start) + 1:start], text[end:end + 7]):
                yield start, end, f"{quote}{other}{quote}"
        before = word

def others(number, before, after):
    """Other values for a number, except values that are equal to it for Lua."""
    if number and number % 1000000 == 0:  # seconds as microseconds: a millionth more or less is no change
        return (number + 1000000, number - 1000000 or 1000)
    if number == 1 and after == ", true)" or number == 0 and re.search(r"args\.(integer|seconds)\(.*, $", before):
        return (number + 1,)  # where `find` begins, and what digits cannot express
    return number + 1, number - 1

def operand(word):
    """Returns true if a minus after this word subtracts."""
    return word in (")", "]") or bool(re.match(r"\w", word)) and word not in ("return", "and", "or", "not", "then", "do")

def statement(text, start):
    """Changes of a whole statement that begins here."""
    line = text[start:text.find("\n", start)]
    if condition := CONDITION.match(line):
        yield from ((start + condition.start(1), start + condition.end(1), new) for new in ("true", "false"))
    elif STATEMENT.match(line) or line.startswith("return "):
        depth, end = 0, start
        for token in TOKEN.finditer(text, start):
            if "\n" in text[end:token.start()] and depth == 0 and token[0] not in ("or", "and", "..", "+", "-"):
                break
            if not token[0].startswith("--"):
                depth, end = depth + (token[0] in "({[") - (token[0] in ")}]"), token.end()
        end = text.find("\n", end) if "\n" in text[end:] else end
        if not line.startswith("return "):
            yield start, end, ""
        elif line.split(" --")[0] not in ("return", "return nil", "return true", "return false"):
            yield start, end, "return nil"

def of(lua, file):
    """Every change of one file, in its order."""
    text, seen = (lua / file).read_text(), {}
    for start, end, new in sorted(set(spots(text))):
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        line = text[first:text.find("\n", start)].strip()
        becomes = (text[first:start] + new + text[end:last]).strip()
        key = file, line, becomes
        seen[key] = seen.get(key, -1) + 1
        piece = ([""] + PIECE.findall(text, 0, start))[-1]
        yield Change(file, text.count("\n", 0, start) + 1, line, becomes, start, end, new, piece, seen[key])

def files(lua):
    return sorted(str(path.relative_to(lua)) for path in lua.rglob("*.lua"))

def draw(changes, count, random):
    """Draws `count` changes from all files. A file with four times as many changes gets only twice as many; where
    there are enough, every file gets some."""
    by_file = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    names = sorted(by_file)
    random.shuffle(names)
    weights = [len(by_file[name]) ** 0.5 for name in names]
    drawn, at = [], random.random()
    for name, weight in zip(names, weights):
        share = at + count * weight / sum(weights)
        drawn += random.sample(by_file[name], min(int(share), len(by_file[name])))
        at = share - int(share)
    random.shuffle(drawn)
    return drawn

if __name__ == "__main__":
    lua = pathlib.Path(__file__).resolve().parents[2] / "lua"
    for file in files(lua):
        for change in of(lua, file):
            print(change)
