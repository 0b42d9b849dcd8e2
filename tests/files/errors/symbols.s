# Labels and constants, defined and used wrongly.

; case: undefined label
 jumpi lop
; error: 8-11 C0201 `lop` is not defined
;   label: not defined
;   help: did you mean `loop`?
 nop
loop: stopi 0

; case: undefined label once per file
 jumpi x
; error: 8-9 C0201 `x` is not defined
;   label: not defined
 nop
 jumpi x
 nop

; case: label twice
a: nop
a: nop
; error: 1-2 C0202 `a` is defined twice
;   label: defined again
;   related: -1:1-2 the first definition
;   help: a label inside a macro or a repetition becomes unique with `\@` or the iteration's name

; case: label and constant
.equ a, 1
a: nop
; error: 1-2 C0202 `a` is defined twice
;   label: defined again
;   related: -1:6-7 the first definition
;   help: a label inside a macro or a repetition becomes unique with `\@` or the iteration's name

; case: label and kernel
.kernel a
a: nop
; error: 1-2 C0202 `a` is defined twice
;   label: defined again
;   related: -1:9-10 the first definition
;   help: a label inside a macro or a repetition becomes unique with `\@` or the iteration's name

; case: global in two files
.global a
a: nop
; file: b.s
.global a
.kernel b
a: nop
; error: 1-2 C0202 `a` is defined twice
;   label: defined again
;   related: -3:1-2 the first definition
;   help: a label inside a macro or a repetition becomes unique with `\@` or the iteration's name

; case: register as label
f3: nop
; error: 1-3 C0203 `f3` is a reserved name; a symbol cannot have it
;   label: reserved
;   help: names of registers with any number, of control registers, `all`, `if`, `inf` and `nan` are reserved

; case: register beyond the last as constant
.equ n64, 1
; error: 6-9 C0203 `n64` is a reserved name; a symbol cannot have it
;   label: reserved
;   help: names of registers with any number, of control registers, `all`, `if`, `inf` and `nan` are reserved
 nop

; case: control register as constant
.equ status, 1
; error: 6-12 C0203 `status` is a reserved name; a symbol cannot have it
;   label: reserved
;   help: names of registers with any number, of control registers, `all`, `if`, `inf` and `nan` are reserved
 nop

; case: local label of another file
 jumpi a
; error: 8-9 C0201 `a` is not defined
;   label: not defined
 nop
; file: b.s
.kernel b
a: nop

; case: product overflows
.equ x, 0x7fffffffffffffff * 4
; error: 9-31 C0204 the result does not fit in 64 bits
;   label: overflows
;   help: values lie between -2^63 and 2^64 - 1
 nop

; case: shift overflows
.equ x, 1 << 63 << 1
; error: 9-21 C0204 the result does not fit in 64 bits
;   label: overflows
;   help: values lie between -2^63 and 2^64 - 1
 nop

; case: division by zero
.equ x, 1 / (2 - 2)
; error: 9-20 C0205 division by zero
;   label: the divisor is 0
 nop

; case: remainder by zero
.equ x, 1 % 0
; error: 9-14 C0205 division by zero
;   label: the divisor is 0
 nop

; case: circle of two
.equ a, b
; error: 6-7 C0206 the value of `a` depends on itself
;   label: needs itself
.equ b, a
 nop

; case: circle of one
.equ a, a + 1
; error: 6-7 C0206 the value of `a` depends on itself
;   label: needs itself
 nop

; case: division by a later zero
.equ a, b
.equ b, 1 / c
; error: 9-14 C0205 division by zero
;   label: the divisor is 0
.equ c, 0
 nop

; case: float operand
 addi f1, f2, 1.5
; error: 15-18 C0207 a float where an integer is needed
;   label: not an integer
;   help: `f32(x)` gives the bits of x in single precision

; case: register in an expression
 addi f1, f2, 1 + g3
; error: 19-21 C0207 `g3` is a register; a number is needed here
;   label: not an integer

; case: float with a bit operator
.equ x, 1.5 & 1
; error: 9-16 C0207 this operator works on integers only
;   label: not an integer
 nop

; case: unknown function
.equ x, sin(1)
; error: 9-15 C0208 there is no function `sin`
;   label: unknown function
;   help: did you mean `min`?
 nop

; case: misspelled function
.equ x, bitrv(1, 3)
; error: 9-20 C0208 there is no function `bitrv`
;   label: unknown function
;   help: did you mean `bitrev`?
 nop

; case: bitrev of one argument
.equ x, bitrev(1)
; error: 9-18 C0209 `bitrev` with 1 arguments; it takes two: the number and how many bits to reverse
;   label: wrong argument
 nop

; case: bitrev of too many bits
.equ x, bitrev(8, 3)
; error: 9-21 C0209 bitrev of 8, which does not fit in 3 bits
;   label: wrong argument
 nop

; case: logarithm of zero
.equ x, log2(0)
; error: 9-16 C0209 log2 of 0, which is not positive
;   label: wrong argument
 nop

; case: negative shift
.equ x, 1 << -1
; error: 9-16 C0209 a shift by -1 bits; it must be from 0 to 63
;   label: wrong argument
 nop

; case: count of a later symbol
.rept n
; error: 7-8 C0210 the value of `n` is not known here
;   label: not known yet
;   help: this value decides what follows, so its symbols must be defined before
 nop
.endr
.equ n, 2

; case: condition on a later label
.if end > 4
; error: 5-8 C0210 the value of `end` is not known here
;   label: not known yet
;   help: this value decides what follows, so its symbols must be defined before
 nop
.endif
end: nop

; case: exported and never defined
.global a
; error: 9-10 C0211 `.global a`: `a` is not defined in this file
;   label: not defined in this file
 nop

; case: local hides global
a: nop
; warning: 1-2 C0212 `a` hides the global symbol of another file
;   label: hides the global symbol
;   related: +3:1-2 the global one
;   help: rename one of them
; file: b.s
.global a
.kernel b
a: nop

; case: error in a constant is told once
.equ a, 1/0
; error: 9-12 C0205 division by zero
;   label: the divisor is 0
 addi f1, f2, a
 addi f1, f2, a

; case: constant with bad syntax counts as defined
.equ a, 1 +
; error: 12 C0101 expected an expression, found the end of the line
;   label: not understood from here on
 addi f1, f2, a

; case: a label cannot have the name of the kernel that bundles before the first `.kernel` form
main:
 nop ; error: C0202
 stopi 0

; case: nor further down
 nop
main: ; error: C0202
 stopi 0

; case: a label of that name beside a kernel with a name of its own
; run:
.kernel other
main: stopi 0
