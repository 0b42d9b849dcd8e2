# Errors inside macros and repetitions are told where they are called.

; case: error in the body is shown at the call
.macro m x
 addi f1, f2, \x + 1
.endm
 nop
 m 2047
; error: 2-8 C0305 2048 is out of range: `addi` takes -2048 to 2047 here
;   label: must be from -2048 to 2047
;   related: -3:15-21 in the expansion of macro `m`

; case: error in an argument is shown there
.macro m x
 addi f1, f2, \x
.endm
 m 5000
; error: 4-8 C0305 5000 is out of range: `addi` takes -2048 to 2047 here
;   label: must be from -2048 to 2047
;   related: -2:15-17 in the expansion of macro `m`

; case: two calls with one mistake are one error
.macro m
 foo f1
.endm
 m
; error: 2-3 C0301 there is no operation `foo`
;   label: no such operation
;   related: -2:2-5 in the expansion of macro `m`
 m

; case: macro in a macro
.macro inner r
 copy f\r, f64
.endm
.macro outer r
 nop
 inner \r
.endm
 outer 3
; error: 2-9 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   related: -2:2-10 in the expansion of macro `outer`
;   related: -6:12-15 in the expansion of macro `inner`
;   help: `--enable more-fprs=128` gives a machine that has it

; case: argument through two macros
.macro inner v
 addi f1, f2, \v
.endm
.macro outer v
 inner \v
.endm
 outer 9999
; error: 8-12 C0305 9999 is out of range: `addi` takes -2048 to 2047 here
;   label: must be from -2048 to 2047
;   related: -2:2-10 in the expansion of macro `outer`
;   related: -5:15-17 in the expansion of macro `inner`

; case: repetition names the iteration
.rept 4, k
 copy f{61+\k}, f1
; error: 7-15 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   note: in the iteration `k` = 3
;   help: `--enable more-fprs=128` gives a machine that has it
.endr

; case: label in a repetition
.rept 2
x: nop
; error: 1-2 C0202 `x` is defined twice
;   label: defined again
;   related: 1-2 the first definition
;   note: in iteration 1 of `.rept`
;   help: a label inside a macro or a repetition becomes unique with `\@` or the iteration's name
.endr

; case: default that is wrong
.macro m r=f64
 copy f1, \r
.endm
 m
; error: 2-3 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   related: -2:11-13 in the expansion of macro `m`
;   help: `--enable more-fprs=128` gives a machine that has it

; case: macro of another file
.macro m
 nop
.endm
 m
; file: b.s
.kernel b
 m
; error: 2-3 C0301 there is no operation `m`
;   label: no such operation
