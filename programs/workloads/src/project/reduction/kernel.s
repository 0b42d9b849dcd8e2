; The scalar product of two vectors: the sum of x[i] y[i] over all elements. Each section adds up a quarter of the
; products; the sum of all four is then in every section.
;
;   cp2 run NAME.s --load x=data/x.npy --load y=data/y.npy --store sum=sum.npy
;   cp2 run NAME.s --interface
;   cp2 sched NAME.s
;   cp2 test
        .kernel NAME
        .arg    n, g2, min=2                                        ; turns of the loop, 64 elements each; the size of x tells it
        .array  x, in,  float32, 64*n, layout=interleaved/4, at=g4  ; four elements to each section in turn
        .array  y, in,  float32, 64*n, layout=interleaved/4, at=g5
        .array  sum, out, float32, 1, pack=both, at=g6
        move    a0, g4
        move    a1, g5
        move    a2, g6

; Linear code: one operation on a line, in the order of its meaning. The scheduler makes bundles of it, in which a
; load goes beside each arithmetic operation, and lets the turns of the loop overlap. %x0 is a register whose number
; the scheduler chooses.
        .linear
        .even   r0, r1                  ; a promise: both vectors begin at even addresses
        .scratch g15                    ; the scheduler counts the loop here

; A sum waits 8 cycles for the one before. With eight partial sums another one is always ready. Each has two numbers,
; those of the high and those of the low halves of the words.
        .rept   4, k
        clear   %part{2*\k}, %part{2*\k + 1}
        .endr
        .loop   g2, min=2
; schedule: ii=8 arithmetic=8 exchange=8
        .rept   4, k
        ldo     %x{2*\k}:%x{2*\k + 1}, (r0)+2  ; two words at a0, which then steps by 2
        ldo     %y{2*\k}:%y{2*\k + 1}, (r1)+2
        psmadd  %part{2*\k}, %x{2*\k}, %y{2*\k}
        psmadd  %part{2*\k + 1}, %x{2*\k + 1}, %y{2*\k + 1}
        .endr
        .endloop

; From eight partial sums to one in each section.
        .rept   4, k
        psadd   %part\k, %part\k, %part{\k + 4}
        .endr
        psadd   %part0, %part0, %part2
        psadd   %part1, %part1, %part3
        psadd   %part0, %part0, %part1

; From section to section: `mffpr` takes the register of one section into a general register, which all sections share,
; and `mtfpr` takes that into a register of all of them.
        .rept   4, s
        mffpr   g{8 + \s}, %part0, s\s
        mtfpr   %from\s, g{8 + \s}, all
        .endr
        psadd   %from0, %from0, %from1
        psadd   %from2, %from2, %from3
        psadd   %from0, %from0, %from2
        swaphl  %other, %from0
        psadd   %sum, %from0, %other    ; the high half and the low one; the sum is in both
        swo     %sum, (r2)
        .endlinear
        stopi   0

; lint: none
; load: x=data/x.npy
; load: y=data/y.npy
; run:
; cycles: 351
; compare: sum=data/expected.npy rtol=1e-6
