#!/usr/bin/env python3
"""Write what OpenAI's own tokenizer makes of a list of hostile strings.

    python3 tests/reference/make_tokenizer_fixture.py VOCAB_DIR OUT

VOCAB_DIR holds GPT-2's vocab.bpe and encoder.json.  Needs tiktoken and
regex (the module that GPT-2's encoder.py used); no network.  OUT gets one
line per string:

    name <tab> UTF-8 in hex <tab> bytes of each piece <tab> token ids

The pieces come from regex, the ids from tiktoken.  A string is left out
(and named) if its pieces, merged by the plain loop of GPT-2's encoder.py,
give other ids than tiktoken: two implementations vouch for every line.
"""
import json
import os
import sys
import unicodedata

import regex
import tiktoken

PATTERN = (r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+"""
           r"""| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")


def read_vocabulary(folder):
    printable = (list(range(0x21, 0x7F)) + list(range(0xA1, 0xAD))
                 + list(range(0xAE, 0x100)))
    order = printable + [b for b in range(256) if b not in printable]
    to_byte = {chr(b): b for b in printable}
    to_byte.update((chr(256 + i), b) for i, b in enumerate(order[188:]))

    def spell(text):
        return bytes(to_byte[c] for c in text)

    with open(os.path.join(folder, "vocab.bpe"), encoding="utf-8") as f:
        lines = f.read().split("\n")[1:-1]
    ranks = {bytes([b]): i for i, b in enumerate(order)}
    merges = {}
    for line in lines:
        left, right = map(spell, line.split(" "))
        merges[left, right] = len(merges)
        ranks[left + right] = len(ranks)
    with open(os.path.join(folder, "encoder.json"), encoding="utf-8") as f:
        encoder = json.load(f)
    encoder.pop("<|endoftext|>")
    assert {spell(k): v for k, v in encoder.items()} == ranks
    return ranks, merges


def merge_plainly(piece, merges):
    """The loop of GPT-2's encoder.py."""
    word = [bytes([b]) for b in piece]
    while len(word) > 1:
        pairs = set(zip(word, word[1:]))
        best = min(pairs, key=lambda p: merges.get(p, len(merges)))
        if best not in merges:
            break
        out, i = [], 0
        while i < len(word):
            if i + 1 < len(word) and (word[i], word[i + 1]) == best:
                out.append(word[i] + word[i + 1])
                i += 2
            else:
                out.append(word[i])
                i += 1
        word = out
    return word


def some_of(category, limit):
    """Some characters of a Unicode category, in words of seven."""
    chars = [chr(c) for c in range(0x110000)
             if unicodedata.category(chr(c)) == category]
    chars = chars[::max(1, len(chars) // limit)][:limit]
    return " ".join("".join(chars[i:i + 7])
                    for i in range(0, len(chars), 7))


SCRIPTS = {
    "latin": "Naïve café, Œuvre, Straße, ĲSSEL, ǅ, Đặng Thị, İstanbul ıı",
    "greek": "Ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν",
    "cyrillic": "Съешь же ещё этих мягких французских булок",
    "armenian-georgian": "Բարեւ աշխարհ; გამარჯობა მსოფლიო Ⴀ Ა",
    "hebrew": "שָׁלוֹם עוֹלָם, זה 12 ש״ח",
    "arabic": "السلام عليكم ٠١٢٣٤٥٦٧٨٩ ۰۱۲۳ لَا ﷲ ﷺ",
    "devanagari": "नमस्ते दुनिया १२३ क्षत्रिय ॐ",
    "bengali-tamil": "হ্যালো ৪৫৬ வணக்கம் ௧௨௰",
    "thai-lao": "สวัสดีชาวโลก ๑๒๓ ສະບາຍດີ ໑໒",
    "tibetan-burmese": "བཀྲ་ཤིས་བདེ་ལེགས། ༠༡༢ မင်္ဂလာပါ ၁၂၃",
    "ethiopic-cherokee": "ሰላም ልዑል ፩፪፫ ᏣᎳᎩ ꭰꭱ",
    "chinese": "主要的显卡性能瓶颈是内存带宽。一二三、壹贰叁,〇㊀㋀㍘",
    "japanese": "吾輩は猫である。ガギグゲゴ ｶﾞｷﾞｸﾞ ーー 々〆ヶ",
    "korean": "안녕하세요 세계 ㄱㄴㄷ 각",
    "mongolian-khmer": "ᠮᠣᠩᠭᠣᠯ ᠐᠑ សួស្តី ០១២ ៰",
    "ancient": "𐎀𐎁𐎂 𐏑𐏒 𒀀𒁀 𒐀 𓀀𓁐 𐌰𐌱 𐤀𐤁 𐤖 𐩐 𐩽",
    "plane-2-3": "𠀀𠀁𪜀𫝀𬺰 𰀀",
    "math-letters": "𝐀𝑏𝒞𝔡𝕖 𝟎𝟙𝟚 ℕℝ ℵ ℃ ℹ",
    "deseret-adlam": "𐐀𐐨 𞤀𞤢 𞥐𞥑",
}

EDGES = {
    "empty": "",
    "one-space": " ",
    "two-spaces": "  ",
    "space-end": "word ",
    "spaces-end": "word   ",
    "spaces-between": "a b  c   d    e",
    "spaces-before-punctuation": "a  !  ? .",
    "spaces-before-digits": "1  2   3",
    "tabs": "\tif\t\tx:\t\t\t\n\t\treturn \t y",
    "newlines": "a\nb\n\nc\n\n\nd\n",
    "crlf": "one\r\ntwo\r\n\r\nthree\r",
    "mixed-blank": " \n \t \n  x",
    "blank-only": " \t\n\r\v\f ",
    "no-break-space": "a\u00a0b\u00a0\u00a0c \u00a0d\u00a0 e",
    "ideographic-space": "東京\u3000大阪\u3000\u3000京都",
    "nel": "a\u0085b\u0085\u0085c \u0085",
    "other-spaces": "a\u1680b\u2000c\u2003\u2003d\u2028e\u2029f\u202fg"
                    "\u205fh\u200ai",
    "not-spaces": "a\u200bb\u2060c\ufeffd\u180ee\u200c\u200df",
    "file-separators": "a\x1cb\x1dc\x1ed\x1fe \x1c \x1f\x1f",
    "nul": "a\0b\0\0c \0 \0\0",
    "controls": "".join(map(chr, range(32))) + "\x7f\x80\x9f",
    "ascii": "".join(map(chr, range(128))),
    "latin-1": "".join(map(chr, range(128, 256))),
    "contractions": "I'm you're he's we've they'll I'd don't it's",
    "contractions-upper": "I'M YOU'RE HE'S WE'VE THEY'LL I'D DON'T",
    "contractions-run": "'s't're've'm'll'd 's 't 're 'x 'sss 'tt 'rer",
    "contractions-after": "5's !'s  's\n's ''s '''s x''re 'l 'r 'v 'll",
    "contractions-cut": "he'l we'r they'v o'",
    "typographic-apostrophe": "don\u2019t it\u2019s we\u2019re",
    "long-s": "'\u017f '\u212a K\u212a",
    "digits": "0123456789 3.14159 1,000,000 1e-5 0x1F 2nd",
    "digits-in-words": "abc123def 4x4 H2O v2.0.1 a1b2",
    "superscripts": "x² + y³ = z⁴ H₂O ①②③ ½ ¼ ⅛ ⅔",
    "roman": "Ⅳ ⅻ MⅭⅯ ↀ ↂ ⅽ Louis XⅣ",
    "number-letters": "〇〡〢〩 ꛦꛧ 𒐀𒐁 𐅀 ᛮᛯᛰ",
    "combining": "e\u0301a\u0308o\u0302\u0323 \u0301 x\u20dd \u0300\u0301",
    "zalgo": "Z\u0351\u036b\u0343a\u0329\u0319l\u0348\u031bg\u0324o",
    "modifiers": "ʰʲ ˈaː ʼ ꜛ ˉˊ ﹅ ª º µ",
    "emoji": "😀😃 👍🏽 🇩🇪🇫🇷 ❤️ ☺ ✈️ #️⃣ 1️⃣",
    "emoji-zwj": "👩‍👩‍👧‍👦 🏳️‍🌈 👩🏾‍💻 a👨‍🚀b",
    "private-use": "\ue000\uf8ff \U000f0000 \U0010fffd",
    "noncharacters": "\ufffe\uffff \ufdd0 \U0010ffff",
    "replacement": "\ufffd\ufffd a\ufffdb",
    "bom": "\ufefftext",
    "soft-hyphen": "soft\u00adhyphen non\u2011breaking en–dash em—dash",
    "punctuation": "Hello, world! (yes) [no] {a} <b> \"c\" `d` ... --- ***",
    "symbols": "€100 £5 ¥3 ©®™ ±×÷ ∑∫√ ←→ ░▒▓ ♠♥",
    "url": "https://example.com/a_b?c=d&e=%20f#g-h",
    "code": "for (int i = 0; i < n; i++) {\n    x[i] += y[i] * 2.0f;\n}\n",
    "python": "def f(x):\n\treturn x**2  # square\n\n\nprint(f(3))\n",
    "underscores": "snake_case __init__ a_1_b _",
    "endoftext": "<|endoftext|> text <|endoftext|>",
    "world": "world world  world World WORLD",
    "odd-tokens": "SolidGoldMagikarp petertodd  externalToEVA",
    "spaces-64": " " * 64 + "x",
    "spaces-83": "x" + " " * 83,
    "newlines-100": "\n" * 100 + "a",
    "run-a": "a" * 257,
    "run-equals": "=" * 129 + " " + "-" * 65,
    "run-dots": "." * 300,
    "run-zero": "0" * 100,
    "run-chinese": "内" * 50,
    "run-nbsp": "\u00a0" * 40,
    "abracadabra": "abracadabra" * 20,
    "dna": "ACGTTGCAAGCTTCGAGGATCCTAGA" * 12,
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFz" * 3,
    "long-word": "pneumonoultramicroscopicsilicovolcanoconiosis" * 5,
}

CATEGORIES = [("Lu", 70), ("Ll", 70), ("Lt", 31), ("Lm", 40), ("Lo", 140),
              ("Nd", 70), ("Nl", 40), ("No", 70), ("Mn", 40), ("Mc", 40),
              ("Me", 13), ("Pc", 10), ("Pd", 20), ("Ps", 20), ("Pi", 12),
              ("Po", 40), ("Sm", 40), ("Sc", 40), ("Sk", 40), ("So", 60),
              ("Cf", 40), ("Zs", 17)]


def mixtures():
    """Random strings over an alphabet where every rule of the pattern has
    a character on each side of it; a fixed linear congruence."""
    alphabet = list(" \t\n'sterlvmdSTX09.!?") + [
        " ", " ", "'", "'", "'", "é", "ß", "中", "٣", "²", "Ⅳ", "\u00a0",
        "\u3000", "\u0085", "\u200b", "\u0301", "\x1c", "\0", "😀", "𝟘"]
    state = 20240520
    for i in range(100):
        text = ""
        for _ in range(4 + i // 3):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            text += alphabet[(state >> 33) % len(alphabet)]
        yield f"mixture-{i}", text


def main():
    folder, out = sys.argv[1:]
    ranks, merges = read_vocabulary(folder)
    encoding = tiktoken.Encoding(
        "gpt2-from-files", pat_str=PATTERN, mergeable_ranks=ranks,
        special_tokens={"<|endoftext|>": len(ranks)})
    pieces_of = regex.compile(PATTERN)
    rows = list(EDGES.items()) + list(SCRIPTS.items())
    rows += [(f"category-{c}", some_of(c, n)) for c, n in CATEGORIES]
    rows += mixtures()
    left_out = []
    with open(out + ".tmp", "w", encoding="ascii", newline="\n") as f:
        f.write("# GPT-2 tokens by tiktoken "
                f"{getattr(tiktoken, '__version__', '?')}, pieces "
                f"by regex {regex.__version__}; characters picked by Unicode "
                f"{unicodedata.unidata_version}\n")
        for name, text in rows:
            pieces = [p.encode() for p in pieces_of.findall(text)]
            assert b"".join(pieces) == text.encode(), name
            ids = encoding.encode_ordinary(text)
            plain = [ranks[t] for p in pieces
                     for t in merge_plainly(p, merges)]
            if ids != plain:    # the two libraries know different Unicodes
                left_out.append(name)
                continue
            f.write("\t".join([name, text.encode().hex(),
                               ",".join(str(len(p)) for p in pieces),
                               ",".join(map(str, ids))]) + "\n")
    os.rename(out + ".tmp", out)
    print(f"{out}: {len(rows) - len(left_out)} strings, "
          f"{os.path.getsize(out)} bytes; left out: {left_out or 'none'}")


if __name__ == "__main__":
    main()
