# Results that land on one register in one cycle: which stays (`specs/src/timing.md`).
.macro nops n
.rept \n
        nop
.endr
.endm
; init: f2 = 0x3f80000040000000  f60 = 0x7f7fffff7f7fffff  [9] = 0x123456789abcdef0

; case: an arithmetic result stays where a load lands in the same cycle
        copy f1, f2
        nops 4
        lwi f1, 9
        nops 2
        copy f3, f1
        stopi 0
; run:
; state: f3 = 0x3f80000040000000
; stats: collisions=1

; case: a load one bundle earlier lands before it
        copy f1, f2
        nops 3
        lwi f1, 9
        nops 3
        copy f3, f1
        stopi 0
; run: f63=0x123456789abcdef0
; state: f3 = 0x3f80000040000000
; stats: collisions=0

; case: a load one bundle later lands behind it
        copy f1, f2
        nops 5
        lwi f1, 9
        nops 2
        copy f3, f1
        stopi 0
; run: f63=0x123456789abcdef0
; state: f3 = 0x123456789abcdef0
; stats: collisions=0

; case: what the load brings is one bundle too late for the operation before
        copy f1, f2
        nops 4
        lwi f1, 9
        nops 1
        copy f3, f1
        stopi 0
; run: f1=7
; state: f3 = 7

; case: mfc stays against a load too
        mfc f1, fccr
        nops 4
        lwi f1, 9
        nops 2
        copy f3, f1
        stopi 0
; run:
; state: f3 = 1
; stats: collisions=1

; case: a double load loses only the register that an arithmetic result reaches
        copy f1, f2
        nops 4
        ldi f0, 8
        nops 2
        copy f3, f1
        copy f4, f0
        stopi 0
; run: [8]=5
; state: f3 = 0x3f80000040000000  f4 = 5
; stats: collisions=1

; case: a permutation sees the load that loses
        copy f1, f2
        nops 4
        lwi f1, 9
        nop
        psprmsgn f10, f0, 2, 3, 2, 3
        nop
        copy f3, f1
        stopi 0
; run:
; state: f10 = 0x123456789abcdef0  f3 = 0x3f80000040000000

; case: one bundle earlier it sees neither
        copy f1, f2
        nops 4
        lwi f1, 9
        psprmsgn f10, f0, 2, 3, 2, 3
        nop
        copy f3, f1
        stopi 0
; run:
; state: f10 = 0

; case: one bundle later it sees the arithmetic result
        copy f1, f2
        nops 4
        lwi f1, 9
        nop
        nop
        psprmsgn f10, f0, 2, 3, 2, 3
        nop
        copy f3, f1
        stopi 0
; run:
; state: f10 = 0x3f80000040000000

; case: the later issued of an arithmetic result and a move stays
        copy f1, f2
        nops 4
        mtfpr f1, g1, all
        nops 2
        copy f3, f1
        stopi 0
; run: g1=77
; state: f3 = 77
; stats: collisions=1

; case: a move one bundle earlier lands before it
        copy f1, f2
        nops 3
        mtfpr f1, g1, all
        nops 2
        copy f3, f1
        stopi 0
; run: g1=77
; state: f1 = 0x3f80000040000000
; stats: collisions=0

; case: the later issued of an arithmetic result and a permutation stays
        copy f1, f2
        nops 4
        psprmsgn f0, f60, 0, 1, 0, 1
        nops 2
        copy f3, f1
        stopi 0
; run: g1=77
; state: f3 = 0x7f7fffff7f7fffff
; stats: collisions=1

; case: a permutation one bundle earlier lands before it
        copy f1, f2
        nops 3
        psprmsgn f0, f60, 0, 1, 0, 1
        nops 2
        copy f3, f1
        stopi 0
; run: g1=77
; state: f1 = 0x3f80000040000000
; stats: collisions=0

; case: a move to one section collides there only
        copy f1, f2
        nops 4
        mtfpr f1, g1, s2
        nops 2
        copy f3, f1
        stopi 0
; run: g1=77
; state: f3 = {0x3f80000040000000, 0x3f80000040000000, 0x4d, 0x3f80000040000000}
; stats: collisions={0, 0, 1, 0}

; case: an elementary function defends its half against a load
        recip f1.lo, f2.lo
        nops 4
        lwi f1, 9
        nops 2
        copy f3, f1
        stopi 0
; run:
; state: f3 = 0x123456783f000000
; stats: collisions=1

; case: a move that is issued later takes both halves
        recip f1.lo, f2.lo
        nops 4
        mtfpr f1, g1, all
        nops 2
        copy f3, f1
        stopi 0
; run: g1=77
; state: f3 = 77

; case: a load one bundle later overwrites both halves
        recip f1.lo, f2.lo
        nops 5
        lwi f1, 9
        nops 2
        copy f3, f1
        stopi 0
; run:
; state: f3 = 0x123456789abcdef0
