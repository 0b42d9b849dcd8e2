; Twice i times the third of four complex numbers, in every section; 12 bundles, 30 cycles.
        .kernel twelve
        seti    a0, 0                     ; cycle 0
        | lwi   f1, 4                     ; cycle 1: f1 = i, seen from cycle 4
        | doi   3, last                   ; cycle 2
        | lwo   f2, (r0)+1                ; cycles 3, 6, 9; the last is seen from cycle 12
last:   clear   f4, f5                    ; cycles 4, 7, 10: the loop's `end`
        nop                               ; cycles 5, 8, 11: the bundle after `end` belongs to the body
        cmul    f6, f2, f1                ; cycle 12, seen from cycle 20
        | sync                            ; cycle 13, holds 14..19
        cadd    f7, f6, f6 | swi f6, 100  ; cycle 20, seen from cycle 28
        | sync                            ; cycle 21, holds 22..27
        | swi   f7, 101                   ; cycle 28
        | stopi 42                        ; cycle 29
        .lmem   all
        .complex 1, 2,  3, 4,  5, 6,  7, 8,  0, 1
