; A five-point stencil: w[i][j] = centre u[i][j] + vertical (u[i-1][j] + u[i+1][j]) + horizontal (u[i][j-1] + u[i][j+1]).
; Each section has a block of rows of the grid, with one row above and one below (the halo) and two columns left and
; right, of which the inner one is read. Two, because a word holds two numbers.
;
;   cp2 run NAME.s --load u=data/u.npy --arg centre=0.5 --arg vertical=0.125 --arg horizontal=0.125 --store w=w.npy
;   cp2 run NAME.s --interface
;   cp2 sched NAME.s
;   cp2 test
        .equ    columns, 32             ; of the grid: a multiple of 16
        .equ    strip, 8                ; words of a strip, 16 columns
        .equ    pitch, columns/2 + 2    ; words from one row of u to the next
        .kernel NAME
        .arg    rows, g2, min=4, multiple=2  ; of the block of a section; the size of u tells it
        .arg    centre, f0                   ; the three weights, each in both halves of its register
        .arg    vertical, f1
        .arg    horizontal, f2
        .array  u, in,  float32, 4, rows + 2, columns + 4, layout=blocks, at=a4
        .array  w, out, float32, 4, rows, columns, layout=blocks, at=a5

; The neighbours left and right of the two numbers in a word lie in two words each: %e1 gets the second number of word
; 1 and the first one of word 2. It is the right neighbour of word 1, and the left one of word 2.
        .macro  across j
        psprmsgn %e{\j}:%unused{\j}, %u{\j}:%u{\j + 1}, 3, 0, 3, 0
        .endm
        .macro  point j
        psmul   %w{\j}, %u{\j}, f0
        psmadd  %w{\j}, %n{\j}, f1
        psmadd  %w{\j}, %s{\j}, f1
        psmadd  %w{\j}, %e{\j - 1}, f2
        psmadd  %w{\j}, %e{\j}, f2
        .endm

; Linear code: one operation on a line, in the order of its meaning. The scheduler makes bundles of it, in which a
; load or store goes beside each arithmetic operation, and lets the turns of the inner loop overlap. %w0 is a register
; whose number the scheduler chooses.
        .linear
        .disjoint r0, r3                ; the promises: nothing that is stored at a3 is
        .disjoint r1, r3                ; loaded at a0, a1 or a2
        .disjoint r2, r3
        .even   r4, r5                  ; and both arrays begin at even addresses
        .scratch g14, g15               ; the scheduler counts the loops here

; The outer loop goes from strip to strip. At a4 the rows of the strip begin, at a5 those of the result.
        .loop   columns / 2 / strip
        move    a0, a4                  ; the row above,
        move    a1, a4                  ; the row itself,
        updaddr (r1)+pitch
        move    a2, a4                  ; and the row below
        updaddr (r2)+2*pitch
        move    a3, a5

; The inner loop goes down the strip, a row of 8 words in a turn. `ldo` loads two words, at a1 in `(r1)+2`, and then
; steps a1 by 2. The registers %u0 to %u9 follow each other, so that `psprmsgn` finds %u2 behind %u1.
        .loop   g2, min=4, multiple=2
; schedule: ii=40 arithmetic=40 exchange=28
        ldo     %u0:%u1, (r1)+2
        ldo     %n0:%n1, (r0)+2
        ldo     %s0:%s1, (r2)+2
        across  0
        .rept   strip / 2, m
        ldo     %u{2*\m + 2}:%u{2*\m + 3}, (r1)+2
        ldo     %n{2*\m + 2}:%n{2*\m + 3}, (r0)+2
        ldo     %s{2*\m + 2}:%s{2*\m + 3}, (r2)+2
        across  2*\m + 1
        across  2*\m + 2
        point   2*\m + 1
        point   2*\m + 2
        sdo     %w{2*\m + 1}:%w{2*\m + 2}, (r3)+2
        .endr
        updaddr (r0)+pitch - strip - 2  ; back to the first column, one row down
        updaddr (r1)+pitch - strip - 2
        updaddr (r2)+pitch - strip - 2
        updaddr (r3)+columns/2 - strip
        .endloop
        updaddr (r4)+strip
        updaddr (r5)+strip
        .endloop
        .endlinear
        stopi   0

; lint: none
; arg: centre=0.5
; arg: vertical=0.125
; arg: horizontal=0.125
; load: u=data/u.npy
; run:
; cycles: 1382
; compare: w=data/expected.npy atol=1e-6
