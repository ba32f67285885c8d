/* Tangled from chapters/workshop/finding.nw, "Words".  Edit it there. */

"use strict";

/* cut text into words */
function wholeWords(text) {
    return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
}

function wordsAndPieces(text) {
    const all = wholeWords(text);
    for (const word of text.match(/[\p{L}\p{N}_]+/gu) || []) {
        const pieces = word
            .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1_$2")
            .toLowerCase().split("_").filter(piece => piece);
        if (pieces.length > 1) all.push(...pieces);
    }
    return all;
}

/* options of the index */
const indexOptions = {
    fields: ["name", "more"],
    tokenize: wordsAndPieces,
    processTerm: word => word,
};
const weightOfKind = {
    chapter: 12, term: 10, section: 8, kernel: 2, function: 2, struct: 2,
    type: 2, enum: 2, file: 1.5, chunk: 1.5, figure: 1.2, table: 1.2,
};

function questionOptions(question, entries) {
    const asked = question.trim().toLowerCase();
    return {
        tokenize: wholeWords, prefix: true, combineWith: "AND",
        boost: { name: 2 },
        boostDocument(id) {
            const [kind, , name] = entries[id];
            return (weightOfKind[kind] || 1) *
                   (name.toLowerCase() === asked ? 6 : 1);
        },
    };
}
