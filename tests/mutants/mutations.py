# SPDX-License-Identifier: Apache-2.0
"""Small changes of C++ source that a test should notice: operators, constants, conditions, returns and statements."""

import dataclasses
import re

# Comments, literals and preprocessor lines, none of which is changed.
OPAQUE = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
SWAPPED = {
    " < ": " <= ",
    " <= ": " < ",
    " > ": " >= ",
    " >= ": " > ",
    " == ": " != ",
    " != ": " == ",
    " + ": " - ",
    " - ": " + ",
    " * ": " / ",
    " / ": " * ",
    " % ": " * ",
    " += ": " -= ",
    " -= ": " += ",
    " && ": " || ",
    " || ": " && ",
    " | ": " & ",
    " & ": " | ",
    "true": "false",
    "false": "true",
}
OPERATOR = re.compile("|".join([*(re.escape(text) for text in SWAPPED if text.startswith(" ")), r"\btrue\b", r"\bfalse\b"]))
# Numbers with digits grouped by ' and suffixes; not parts of names, of hexadecimal numbers or of fractions.
NUMBER = re.compile(r"(?<![\w.'])\d(?:'?\d)*(?=(?:u|z|uz|l|ll|ul|ull)?\b(?!\.\d))(?!x)", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:if|while) \(([^\n{;]+)\)(?= \{$| [^\n]*;$)", re.MULTILINE)
DECLARES = re.compile(r"^(?:const )?[\w:<>*&]+ [*&]?(?:\w+|\[[\w, ]+\]) = ")
RETURN = re.compile(r"^ +return (?!\{\};)[^\n;]+;$", re.MULTILINE)
STATEMENT = re.compile(
    r"^ +(?!return\b|delete\b|using\b|throw\b|case\b|else\b|if\b|for\b|while\b)[\w.:*\[\]>()-]+(?:\([^\n]*\)| [-+|&]?= [^\n;]+|\+\+|--);$",
    re.MULTILINE,
)


@dataclasses.dataclass(frozen=True)
class Mutation:
    begin: int
    end: int
    text: str
    kind: str


def hide(source):
    """The source with everything opaque as spaces: places stay the same."""
    return OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def mutations(source):
    """Every mutation of the source. Some do not compile."""
    code = hide(source)
    found = [Mutation(m.start(), m.end(), SWAPPED[m[0]], "operator") for m in OPERATOR.finditer(code)]
    found += [Mutation(m.start(), m.end(), str(int(m[0].replace("'", "")) + 1), "constant") for m in NUMBER.finditer(code)]
    for match in CONDITION.finditer(code):
        if balanced(match[1]) and not DECLARES.match(match[1]):
            found.append(Mutation(match.start(1), match.end(1), f"!({source[match.start(1) : match.end(1)]})", "condition"))
    for match in RETURN.finditer(code):
        indent = len(match[0]) - len(match[0].lstrip())
        found.append(Mutation(match.start() + indent, match.end(), "return {};", "return"))
    for match in STATEMENT.finditer(code):
        if balanced(match[0]):
            found.append(Mutation(match.start(), match.end(), "", "statement"))
    return found


def balanced(text):
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def described(source, mutation):
    """(line number, line before, line after)."""
    begin = source.rfind("\n", 0, mutation.begin) + 1
    end = source.find("\n", mutation.end)
    line = source[begin:end]
    changed = source[begin : mutation.begin] + mutation.text + source[mutation.end : end]
    return source.count("\n", 0, mutation.begin) + 1, line.strip(), changed.strip() or "(removed)"
