; Rows of a table by a list of indices: y[i] = table[index[i]]. A row has 16 columns, four of them in each section, so it
; is two words there, and row k begins 2k words behind the first. examples/pages/gather.toml runs it page by page.
;
;   cp2 run gather.s --interface
;   cp2 sched gather.s
        .kernel gather
        .arg    n, g2, min=4                   ; turns of the loop, 4 indices each; the size of index tells it
        .arg    rows, g3, min=1                ; of the table, whose size tells it; the kernel does not need it
        .array  index, in,  int32, 4*n, at=g4  ; all of it in every section, two indices in a word
        .array  table, in,  float32, rows, 16, layout=interleaved/4, at=g5
        .array  y,     out, float32, 4*n, 16, layout=interleaved/4, at=g6
        move    a0, g4
        move    a1, g6
        .linear
        .disjoint r0, r1                ; y, at a1, meets neither the indices nor the table, which
        .disjoint r1, r4                ; a4 to a7 reach
        .disjoint r1, r5
        .disjoint r1, r6
        .disjoint r1, r7
        .even   r0, r1, r4, r5, r6, r7
        .scratch g15

; The address of the table, in both halves of %start.
        mtfpr   %table, g5, all
        swaphl  %start, %table
        or      %start, %start, %table
        .loop   g2, min=4
; schedule: ii=17 exchange=17
        ldo     %pair0:%pair1, (r0)+2   ; four indices
        add     %pair0, %pair0, %pair0  ; times the words of a row
        add     %pair1, %pair1, %pair1
        add     %pair0, %pair0, %start
        add     %pair1, %pair1, %start
        split32 %first0, %pair0         ; the high half, which comes first, alone
        split32 %first1, %pair1

; An address goes through a general register: the low bits of it, of section 0, which has the same as the others.
        mffpr   g8, %first0, s0
        mffpr   g9, %pair0, s0
        mffpr   g10, %first1, s0
        mffpr   g11, %pair1, s0
        .rept   4, k
        move    a{4 + \k}, g{8 + \k}
        ldo     %a\k:%b\k, (r{4 + \k})
        sdo     %a\k:%b\k, (r1)+2
        .endr
        .endloop
        .endlinear
        stopi   0
