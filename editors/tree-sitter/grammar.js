/**
 * Assembly language of CP2, line by line: what `specs/src/syntax.md` says of the form of a line. What words mean is not its business, and
 * lines of macros may hold what only their expansion makes whole.
 */
/// <reference types="tree-sitter-cli/dsl" />

// A name in which parameters of macros stand: `part\k\()_end`.
const PASTED = /[A-Za-z0-9_]*(\\([A-Za-z_][A-Za-z0-9_]*|@|\(\))[A-Za-z0-9_]*)+/;
const LEVELS = { compare: 1, xor: 2, and: 3, shift: 4, sum: 5, product: 6, sign: 7 };

module.exports = grammar({
  name: "cp2",
  word: ($) => $.identifier,
  extras: ($) => [/[ \t\r\uFEFF]/, $.comment],

  rules: {
    source_file: ($) => seq(repeat(seq(optional($._line), "\n")), optional($._line)),
    _line: ($) => choice(seq(repeat1($.label), optional($._statement)), $._statement),
    _statement: ($) => choice($.bundle, $.kernel, $.constant, $.macro, $.include, $.requires, $.directive),

    // A mark at the begin of a line is a comment too; nowhere else may it stand.
    comment: () => token(choice(/;[^\n]*/, /\/\/[^\n]*/, /#[^\n]*/)),

    label: ($) => seq(field("name", $._name), ":"),
    _name: ($) => choice($.identifier, $.pasted),

    bundle: ($) =>
      seq(
        optional($.predicate),
        choice(
          seq(field("left", $.operation), optional(seq("|", optional(field("right", $.operation))))),
          seq("|", field("right", optional($.operation))),
        ),
        repeat($.annotation),
      ),
    predicate: ($) => seq("if", "(", choice($.register, $.computed_register, $.pasted), ")"),
    operation: ($) => prec.right(seq(field("name", choice($._name, $.dotted)), optional($._arguments))),
    annotation: ($) => seq("@", field("name", $.identifier), "(", $.allowed, repeat(seq(",", $.allowed)), ")"),
    allowed: ($) => seq(field("code", $.identifier), optional(field("reason", $.string))),

    kernel: ($) => seq(alias(".kernel", $.directive_name), field("name", $._name)),
    constant: ($) => seq(alias(".equ", $.directive_name), field("name", $._name), ",", field("value", $._argument)),
    macro: ($) => seq(alias(".macro", $.directive_name), field("name", $.identifier), optional($._arguments)),
    include: ($) => seq(alias(".include", $.directive_name), field("file", $.string)),
    requires: ($) => seq(alias(".requires", $.directive_name), $.extension, repeat(seq(",", $.extension))),
    extension: () => /[A-Za-z0-9-]+/,
    directive: ($) => prec.right(seq(field("name", $.directive_name), optional($._arguments), repeat($.annotation))),
    directive_name: () => token(/\.[A-Za-z_][A-Za-z0-9_]*/),

    // Between commas stands one operand; a call of a macro may give several words, or nothing.
    _arguments: ($) => prec.right(choice(seq($._argument, repeat(seq(",", optional($._argument)))), repeat1(seq(",", optional($._argument))))),
    _argument: ($) => prec.right(repeat1($._operand)),
    _operand: ($) => choice($.setting, $.range, $.pair, $.address, $._register, $.string, $._expression),
    setting: ($) => prec.right(seq(field("key", $.identifier), "=", optional(field("value", choice($.pair, $.address, $._register, $._expression))))),
    pair: ($) => prec(2, seq($._register, ":", choice($._register, $.pasted))),
    range: ($) => prec(2, seq($._register, "-", choice($._register, $.pasted))),
    address: ($) =>
      prec.right(
        seq("(", field("set", $._register), ")", optional(seq(choice("+", "-"), field("step", choice($._register, $._expression))))),
      ),

    _register: ($) => choice($.register, $.computed_register, $.virtual_register),
    register: () => token(prec(1, /(cc|[fgirnmas])[0-9]+(\.(hi|lo))?/)),
    computed_register: ($) =>
      prec.right(
        seq(choice($._name, $._virtual_name), token.immediate("{"), $._expression, "}", optional(token.immediate(/\.(hi|lo)/))),
      ),
    virtual_register: ($) => prec.right(seq($._virtual_name, optional(token.immediate(/\.(hi|lo)/)))),
    _virtual_name: () => token(/%[A-Za-z0-9_]*(\\([A-Za-z_][A-Za-z0-9_]*|@|\(\))[A-Za-z0-9_]*)*/),

    _expression: ($) => choice($.number, $.identifier, $.pasted, $.here, $.call, $.parenthesized, $.unary, $.binary),
    parenthesized: ($) => seq("(", $._expression, ")"),
    call: ($) => prec(8, seq(field("function", $._name), token.immediate("("), optional(seq($._expression, repeat(seq(",", $._expression)))), ")")),
    unary: ($) => prec(LEVELS.sign, seq(choice("-", "+", "~", "!"), $._expression)),
    binary: ($) =>
      choice(
        ...[
          [choice("==", "!=", "<", "<=", ">", ">="), LEVELS.compare],
          ["^", LEVELS.xor],
          ["&", LEVELS.and],
          [choice("<<", ">>"), LEVELS.shift],
          [choice("+", "-"), LEVELS.sum],
          [choice("*", "/", token(prec(2, "%"))), LEVELS.product],
        ].map(([operator, level]) => prec.left(level, seq($._expression, field("operator", operator), $._expression))),
      ),
    here: () => ".",
    number: () =>
      token(
        choice(
          /0[xX][0-9A-Fa-f_]+/,
          /0[bB][01_]+/,
          /[0-9][0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9_]+)?/,
        ),
      ),
    string: () => token(/"[^"\n]*"/),
    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
    dotted: () => token(/[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_\\()@]+)+/),
    pasted: () => token(PASTED),
  },
});
