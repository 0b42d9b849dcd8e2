; Rows of a table by a list of indices, as in gather.s, on a core with the extension section addressing. There `lwfa`
; loads from the address in a floating-point register, so an index needs no way through a general register.
        .requires section-addressing
        .kernel gather_sections
        .arg    n, g2, min=4            ; turns of the loop, 4 indices each; the size of index tells it
        .arg    rows, g3, min=1         ; of the table, whose size tells it; the kernel does not need it
        .array  index, in,  int32, 4*n, at=g4
        .array  table, in,  float32, rows, 16, layout=interleaved/4, at=g5
        .array  y,     out, float32, 4*n, 16, layout=interleaved/4, at=g6
        move    a0, g4
        move    a1, g6
        .linear
        .disjoint r0, r1
        .disjoint r1, sections
        .even   r0, r1
        .scratch g15

; The address of the table in both halves of %start, that of the words behind it in %next.
        mtfpr   %table, g5, all
        swaphl  %start, %table
        or      %start, %start, %table
        seti    g14, 1
        mtfpr   %one, g14, all
        swaphl  %ones, %one
        or      %ones, %ones, %one
        add     %next, %start, %ones
        .loop   g2, min=4
; schedule: ii=13 exchange=13
        ldo     %pair0:%pair1, (r0)+2
        .rept   2, p
        add     %double\p, %pair\p, %pair\p
        add     %low\p, %double\p, %start
        add     %high\p, %double\p, %next
        lwfa    %a{2*\p}, %low\p.hi
        lwfa    %b{2*\p}, %high\p.hi
        lwfa    %a{2*\p + 1}, %low\p.lo
        lwfa    %b{2*\p + 1}, %high\p.lo
        .endr
        .rept   4, k
        sdo     %a\k:%b\k, (r1)+2
        .endr
        .endloop
        .endlinear
        stopi   0
