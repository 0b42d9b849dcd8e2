; Rows of an image smoothed by their neighbours: y[i] := x[i - 1] + 2 x[i] + x[i + 1], of 128 columns. Each section has a
; block of rows, and of x one row more on each side. An image that is larger than local memory goes through the kernel
; page by page, as work.toml says.
;
;   cp2 run NAME.s --load x=data/block.npy --store y=y.npy
;   cp2 run NAME.s --interface
;   cp2 sched NAME.s
;   cp2 test
        .equ    width, 128              ; columns
        .equ    words, width / 2        ; of a row: two numbers in each
        .kernel NAME
        .arg    n, g2, min=32, multiple=32  ; turns of the loop, 4 numbers each; the size of x tells it
        .array  x, in,  float32, 4, n/32 + 2, width, layout=blocks, at=g4
        .array  y, out, float32, 4, n/32,     width, layout=blocks, at=g5

; g4 and g5 have the addresses of the arrays, which may lie anywhere: so one buffer of each can be filled while the
; kernel works on another. `(r0)+2` means the word at a0, which then steps by 2.
        move    a0, g4
        move    a1, g4
        move    a2, g4
        move    a3, g5

; Linear code: one operation on a line, in the order of its meaning. The scheduler makes bundles of it and lets the turns
; of the loop overlap. %a0 is a register whose number the scheduler chooses.
        .linear
        .disjoint r3, r0                ; the promises: y, at a3, meets no row of x,
        .disjoint r3, r1
        .disjoint r3, r2
        .even   r0, r1, r2, r3          ; and all addresses are even
        .scratch g15                    ; the scheduler counts the loop here
        updaddr (r1)+words              ; the row itself
        updaddr (r2)+2*words            ; the row behind it
        .loop   g2, min=32, multiple=32
; schedule: ii=6 arithmetic=6 exchange=4
        ldo     %a0:%a1, (r0)+2         ; the row before
        ldo     %b0:%b1, (r1)+2
        ldo     %c0:%c1, (r2)+2
        .rept   2, k
        psadd   %a\k, %a\k, %c\k
        psadd   %b\k, %b\k, %b\k
        psadd   %a\k, %a\k, %b\k
        .endr
        sdo     %a0:%a1, (r3)+2
        .endloop
        .endlinear
        stopi   0

; lint: none
; load: x=data/block.npy
; run:
; cycles: 1571
; compare: y=data/block_expected.npy
