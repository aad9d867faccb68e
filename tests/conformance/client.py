"""A client that is generated from manifest.json alone: a Python function for every command, with named arguments and options,
whose replies have named fields. It knows no command, option, type or field by name.

    client = Client(manifest, send)           send(name, [argument, ...]) gives the reply: bytes, integers, None, lists
    client.submit(queue="q", each=[{"id": "a", "eta": "", "parameters": b"p"}], priority=5)
    client.get(id="a")["status"]

`each` are the arguments that repeat. What is a word of Python gets an underscore: `from_`."""
import inspect, keyword, re
from decimal import Decimal

NUMBER = {"whole": (re.compile(rb"-?\d+"), int), "seconds": (re.compile(rb"\d+(\.\d*)?"), Decimal),
          "decimal": (re.compile(rb"\d+(\.\d*)?"), Decimal)}

class Misfit(Exception):
    """A reply that does not match the manifest."""

def python(name):
    return name + "_" if keyword.iskeyword(name) else name

class Client:
    def __init__(self, manifest, send, strict=False):
        """strict: treats fields and names that the manifest does not know as a misfit, not as those of a later
        version."""
        self.commands, self.types, self.send, self.strict = manifest["commands"], manifest["types"], send, strict
        for name, entry in self.commands.items():
            setattr(self, python(name), self.function(name, entry))

    def function(self, name, entry):
        needed = [arg["name"] for arg in entry["args"] if arg["name"] not in ("now", self.count(entry))]
        needed += ["each"] if "group" in entry else []
        optional = ["now", *(option["name"] for option in entry["options"])]
        wire = {python(name): name for name in needed + optional}

        def call(**given):
            given = {wire.get(word, word): value for word, value in given.items() if value is not None}
            if wrong := (set(given) - {*needed, *optional}) | (set(needed) - set(given)):
                raise TypeError(f"{name}: missing or unknown: {' '.join(sorted(wrong))}")
            arguments = self.arguments(entry, given)
            return self.read(name, set(given), self.send(name, arguments))

        kind = inspect.Parameter.KEYWORD_ONLY
        call.__name__, call.__doc__ = name, f"{entry['summary']}\n\nReply: {entry['reply_text']}"
        call.__signature__ = inspect.Signature(
            [inspect.Parameter(python(word), kind, default=inspect.Parameter.empty if word in needed else None)
             for word in needed + optional])
        return call

    # Arguments

    @staticmethod
    def count(entry):
        return entry.get("group", {}).get("count")

    def arguments(self, entry, given):
        """The call on the wire, from arguments and options by name."""
        given = {"now": "", self.count(entry): len(given.get("each", [])), **given}
        sent = [given[arg["name"]] for arg in entry["args"]]
        for each in given.get("each", []):
            sent += [each[arg["name"]] for arg in entry["group"]["args"]]
        for option in entry["options"]:
            sent += [option["name"], given[option["name"]]] if option["name"] in given else []
        return [self.written(value) for value in sent]

    @staticmethod
    def written(value):
        if isinstance(value, bool):
            return b"1" if value else b"0"
        if isinstance(value, (int, float, Decimal)):
            return format(value, "d" if isinstance(value, int) else "f").encode()
        if isinstance(value, (list, tuple)):
            return b",".join(map(Client.written, value))
        return value.encode() if isinstance(value, str) else value

    def named(self, name, sent):
        """The reverse: arguments and options by name, from a call on the wire."""
        entry, given = self.commands[name], {}
        singles = [arg["name"] for arg in entry["args"]]
        given.update(zip(singles, sent))
        rest = list(sent[len(singles):])
        if "group" in entry:
            group = [arg["name"] for arg in entry["group"]["args"]]
            most = int(given.pop(self.count(entry))) * len(group)
            given["each"] = [dict(zip(group, rest[at:at + len(group)])) for at in range(0, most, len(group))]
            rest = rest[most:]
        names = [name.decode() if isinstance(name, bytes) else name for name in rest[::2]]
        return {**given, **dict(zip(names, rest[1::2]))}

    # Replies

    def read(self, name, given, reply):
        """Returns a reply by its fields: a word; a value; a dict, in which the repeated fields are a list of dicts in
        `items`; or that list alone. `given`: the names of the options of the call, as an option can change the shape
        of the reply."""
        shape = self.commands[name]["reply"]
        if shape is None:  # a custom command
            return reply
        shape = next((other for option, other in shape.get("with", {}).items() if option in given), shape)
        if reply is None:
            if shape.get("nil"):
                return None
            raise Misfit(f"{name}: nil")
        try:
            if "words" in shape or "value" in shape:
                return self.value(shape.get("value", shape), reply)
            if not isinstance(reply, list):
                raise Misfit("not an array")
            return self.pairs(shape, reply) if "pairs" in shape else self.array(shape, reply)
        except Misfit as misfit:
            raise Misfit(f"{name}: {misfit} in {str(reply)[:300]}") from None

    def array(self, shape, reply):
        fields, items = shape.get("list", []), shape.get("items", [])
        there = fields[:len(reply)]
        if missing := [field["name"] for field in fields[len(reply):] if not field.get("absent")]:
            raise Misfit(f"without {missing}")
        found, rest = {field["name"]: self.value(field, got) for field, got in zip(there, reply)}, reply[len(there):]
        if rest and (len(rest) % len(items) if items else self.strict):
            raise Misfit("a wrong number of fields")
        every = [{field["name"]: self.value(field, got) for field, got in zip(items, rest[at:])}
                 for at in range(0, len(rest), len(items))] if items else []
        return every if not fields else {**found, "items": every} if items else found

    def pairs(self, shape, reply):
        """Returns a dict; for a shape with groups, a list of dicts."""
        fields = {field["name"]: field for field in shape["pairs"]}
        groups = [{}]
        if len(reply) % 2:
            raise Misfit("a name without a value")
        for name, got in zip(reply[::2], reply[1::2]):
            name = name.decode(errors="surrogateescape")
            if name == shape.get("begins") and groups[-1]:
                groups.append({})
            prefixes = (field for other, field in fields.items() if other.endswith("*") and name.startswith(other[:-1]))
            field = fields.get(name) or next(prefixes, None)
            if name in groups[-1] or not field and self.strict and not shape.get("open"):
                raise Misfit(f"{name}, twice or unknown")
            groups[-1][name] = self.value(field, got) if field else got
        needed = set() if shape.get("absent") else {name for name, field in fields.items() if not field.get("absent")}
        if missing := needed - set(groups[0]):
            raise Misfit(f"without {sorted(missing)}")
        return groups if "begins" in shape else groups[0]

    def value(self, field, got):
        """A value of a field in Python; None if it is nil, or empty because it does not apply."""
        misfit = Misfit(f"{field.get('name', 'the reply')} is {got!r}")
        if got is None and field.get("nil"):
            return None
        if not isinstance(got, (bytes, int)):
            raise misfit
        raw = got if isinstance(got, bytes) else str(got).encode()
        if not raw and field.get("empty"):
            return None
        text = raw.decode(errors="surrogateescape")
        if text in field.get("words", []):
            return text
        try:
            return self.typed(self.types[field["type"]], raw, text)
        except (KeyError, ValueError):
            raise misfit from None

    @staticmethod
    def typed(of, raw, text):
        form, low, high = of["form"], of.get("low", 0), of.get("high", float("inf"))
        if form in NUMBER:
            pattern, number = NUMBER[form]
            if pattern.fullmatch(raw) and low <= number(text) <= high:
                return number(text)
        elif form == "flag" and raw in (b"0", b"1"):
            return raw == b"1"
        elif form == "word" and text in of["words"]:
            return text
        elif form == "words" and all(word in of["words"] for word in text.split(",")):
            return text.split(",")
        elif form == "bytes" and low <= len(raw) <= high:
            return raw
        elif form == "text" and 1 <= len(raw) <= high:
            return text
        raise ValueError(text)
