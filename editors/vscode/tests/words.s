; SYNTAX TEST "source.cp2" "colours of words"
        .kernel axpy
;       ^^^^^^^ keyword.control.directive.cp2
;               ^^^^ entity.name.function.cp2
again:  psmadd  %y0, %x0.lo, f0 | ldo f1.hi, (r0)+0x10
; <----- entity.name.label.cp2
;       ^^^^^^ support.function.operation.cp2
;               ^^^ variable.parameter.cp2
;                    ^^^^^^ variable.parameter.cp2
;                            ^^ variable.language.cp2
;                                 ^^^ support.function.operation.cp2
;                                     ^^^^^ variable.language.cp2
;                                             ^^ variable.language.cp2
;                                                 ^^^^ constant.numeric.cp2
        .include "words.s"
;                ^^^^^^^^^ string.quoted.double.cp2
        if(cc1) psadd f1, f2, f3
;       ^^ keyword.control.predicate.cp2
;          ^^^ variable.language.cp2
;               ^^^^^ support.function.operation.cp2
