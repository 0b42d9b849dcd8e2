; Rows of a table, gathered by a list of indices: y[i] := y[i] + table[index[i]], as in NAME.s, on a core with the
; extension section addressing. There `lwfa` loads from the address in a floating-point register, so an index needs no
; way through a general register.
;
;   cp2 run NAME_sections.s --enable section-addressing --load index=data/index.npy --load table=data/table.npy --load y=data/y.npy --store y=y.npy
;   cp2 sched NAME_sections.s --enable section-addressing
;   cp2 test
        .requires section-addressing
        .kernel NAME_sections
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
        .disjoint r1, sections          ; nor the table
        .even   r0, r1                  ; both begin at even addresses
        .scratch g15                    ; the scheduler counts the loop here

; The address of the table, in both halves of %start.
        mtfpr   %table, g5, all
        swaphl  %start, %table
        or      %start, %start, %table
        .loop   g2, min=4, multiple=4
; schedule: ii=9 exchange=9
        ldo     %pair0:%pair1, (r0)+2   ; four indices; a0 then steps by 2
        add     %pair0, %pair0, %start  ; of indices addresses, two in a word
        add     %pair1, %pair1, %start
        ldo     %y0:%y1, (r1)+2
        ldo     %y2:%y3, (r1)-2
        lwfa    %row0, %pair0.hi
        lwfa    %row1, %pair0.lo
        lwfa    %row2, %pair1.hi
        lwfa    %row3, %pair1.lo
        .rept   4, k
        psadd   %y\k, %y\k, %row\k
        .endr
        sdo     %y0:%y1, (r1)+2
        sdo     %y2:%y3, (r1)+2
        .endloop
        .endlinear
        stopi   0

; machine: vm7 extensions.section_addressing=true
; lint: none
; load: index=data/index.npy
; load: table=data/table.npy
; load: y=data/y.npy
; run:
; cycles: 612
; compare: y=data/expected.npy
