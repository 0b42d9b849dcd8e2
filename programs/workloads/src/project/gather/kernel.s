; Rows of a table, gathered by a list of indices: y[i] := y[i] + table[index[i]]. A row has 8 columns. Each section has a
; block of two columns of all rows, so a row is one word there, and the word of row k is k words behind the first.
;
;   cp2 run NAME.s --load index=data/index.npy --load table=data/table.npy --load y=data/y.npy --store y=y.npy
;   cp2 run NAME.s --interface
;   cp2 sched NAME.s
;   cp2 test
        .kernel NAME
        .arg    n, g2, min=4, multiple=4         ; turns of the loop, 4 indices each; the size of index tells it
        .arg    rows, g3, min=1                  ; of the table, whose size tells it; the kernel does not need it
        .array  index, in,    int32, 4*n, at=g4  ; all of it in every section, two indices in a word
        .array  table, in,    float32, 4, rows, 2, layout=blocks, at=g5
        .array  y,     inout, float32, 4, 4*n, 2, layout=blocks, at=g6
        move    a0, g4
        move    a1, g6

; Linear code: one operation on a line, in the order of its meaning. The scheduler makes bundles of it and lets the
; turns of the loop overlap. %y0 is a register whose number the scheduler chooses.
        .linear
        .disjoint r0, r1                ; two promises: y, at a1, meets neither the indices
        .disjoint r1, r4                ; nor the table, which a4 to a7 reach
        .disjoint r1, r5
        .disjoint r1, r6
        .disjoint r1, r7
        .even   r0, r1                  ; both begin at even addresses
        .scratch g15                    ; the scheduler counts the loop here

; The address of the table, in both halves of %start.
        mtfpr   %table, g5, all
        swaphl  %start, %table
        or      %start, %start, %table
        .loop   g2, min=4, multiple=4
; schedule: ii=17 exchange=17
        ldo     %pair0:%pair1, (r0)+2   ; four indices; a0 then steps by 2
        add     %pair0, %pair0, %start  ; of indices addresses, two in a word
        add     %pair1, %pair1, %start
        split32 %first0, %pair0         ; the high half, which comes first, alone
        split32 %first1, %pair1
        ldo     %y0:%y1, (r1)+2
        ldo     %y2:%y3, (r1)-2

; An address goes through a general register: the low bits of it, of section 0, which has the same as the others. Four
; of each kind, so that four loads can be under way.
        mffpr   g8, %first0, s0
        mffpr   g9, %pair0, s0
        mffpr   g10, %first1, s0
        mffpr   g11, %pair1, s0
        .rept   4, k
        move    a{4 + \k}, g{8 + \k}
        lwo     %row\k, (r{4 + \k})
        psadd   %y\k, %y\k, %row\k
        .endr
        sdo     %y0:%y1, (r1)+2
        sdo     %y2:%y3, (r1)+2
        .endloop
        .endlinear
        stopi   0

; lint: none
; load: index=data/index.npy
; load: table=data/table.npy
; load: y=data/y.npy
; run:
; cycles: 1130
; compare: y=data/expected.npy
