# Flags in FCSR and STATUS, condition codes, `mtc` and `mfc`, the mailbox (`specs/src/timing.md`). A kernel reads STATUS
# with RUN and FE set, 5; FPE begins at bit 16.
.macro nops n
.rept \n
        nop
.endr
.endm
; init: f2 = 0x3f80000040000000  f60 = 0x7f7fffff7f7fffff  [9] = 0x123456789abcdef0

; case: mfc sees what has landed
        mtc f1, fccr
        nops 5
        mfc f3, fccr
        mfc f4, fccr
        stopi 0
; run: f1=2
; state: f3 = 1  f4 = 3

; case: flags join what a mtc in flight writes
        mtc f1, fcsr
        psmul f10, f60, f60
        nops 5
        mfc f3, fcsr
        mfc f4, fcsr
        stopi 0
; run: f1=4
; state: f3 = 4  f4 = 0x5014

; case: a mtc replaces the flags of an operation before it
        psmul f10, f60, f60
        mtc f1, fcsr
        nops 5
        mfc f3, fcsr
        mfc f4, fcsr
        stopi 0
; run: f1=4
; state: f3 = 0x5014  f4 = 4

; case: STATUS has the flags of its own bundle
        nop | move g1, status
        psmul f10, f60, f60 | move g2, status
        move g3, status
        stopi 0
; run:
; state: g1 = 0x5  g2 = 0x50005  g3 = 0x50005

; case: a section that does not execute raises nothing
        if(cc1) psmul f10, f60, f60 | move g1, status
        stopi 0
; run:
; check: off the condition code is as after reset
; state: g1 = 0x5

; case: a move to STATUS overrides the flags of its bundle and nothing else
        psmul f10, f60, f60 | move status, g1
        move g2, status
        stopi 0
; run: g1=0xffffffffffeaffff
; state: g2 = 0x7aa0005  status = 0x7aa0004

; case: it reads them first
        psmul f10, f60, f60 | move status, status
        stopi 0
; run: status=0x200000
; state: status = 0x250004

; case: mtc to fcsr replaces the flags of STATUS when it lands
        mtc f1, fcsr
        psmul f10, f60, f60
        nops 4
        move g1, status
        move g2, status
        stopi 0
; run: status=0x200000 f1=4
; state: g1 = 0x250005  g2 = 0x50005

; case: mtc to fccr leaves them
        mtc f1, fccr
        psmul f10, f60, f60
        nops 4
        move g1, status
        move g2, status
        stopi 0
; run: status=0x200000 f1=4
; state: g1 = 0x250005  g2 = 0x250005

; case: what was raised in front of a mtc is gone
        psmul f10, f60, f60
        mtc f1, fcsr
        nops 5
        move g1, status
        move g2, status
        stopi 0
; run: status=0x200000 f1=4
; state: g1 = 0x250005  g2 = 0x10005

; case: flags raised 4 bundles behind a mtc stay
        mtc f1, fcsr
        nops 4
        psmul f10, f60, f60
        nops 8
        stopi 0
; run: status=0x200000 f1=4
; state: status = 0x50004

; case: flags raised 5 bundles behind a mtc stay
        mtc f1, fcsr
        nops 5
        psmul f10, f60, f60
        nops 8
        stopi 0
; run: status=0x200000 f1=4
; state: status = 0x50004

; case: flags raised 6 bundles behind a mtc stay
        mtc f1, fcsr
        nops 6
        psmul f10, f60, f60
        nops 8
        stopi 0
; run: status=0x200000 f1=4
; state: status = 0x50004

; case: a mtc replaces by the flags of the sections that execute it
# In the last run it replaces by nothing.
        if(cc1) mtc f1, fcsr
        nops 6
        move g1, status
        stopi 0
; run: f1={0x4, 0x8, 0x10, 0x2020} status=0x200000 fccr=3
; state: g1 = 0xf0005  fcsr.s0 = 4
; run: f1={0x4, 0x8, 0x10, 0x2020} status=0x200000 fccr={3, 1, 1, 3}
; state: g1 = 0x90005  fcsr.s0 = 4
; run: f1={0x4, 0x8, 0x10, 0x2020} status=0x200000 fccr=1
; state: g1 = 0x5  fcsr.s0 = 0

; case: a mtc lands behind a move to STATUS right behind it
        mtc f1, fcsr
        move status, g1
        move g2, status
        nops 4
        move g3, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x100005  g3 = 0x10005

; case: a move to STATUS with 0 bundles between
        mtc f1, fcsr
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x10005

; case: a move to STATUS with 1 bundles between
        mtc f1, fcsr
        nops 1
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x10005

; case: a move to STATUS with 2 bundles between
        mtc f1, fcsr
        nops 2
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x10005

; case: a move to STATUS with 3 bundles between
        mtc f1, fcsr
        nops 3
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x10005

; case: a move to STATUS with 4 bundles between
        mtc f1, fcsr
        nops 4
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x10005

; case: a move to STATUS with 5 bundles between
# It stays from six bundles behind the `mtc` on.
        mtc f1, fcsr
        nops 5
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x100005

; case: a move to STATUS with 6 bundles between
        mtc f1, fcsr
        nops 6
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x100005

; case: a move to STATUS with 7 bundles between
        mtc f1, fcsr
        nops 7
        move status, g1
        nops 8
        move g2, status
        stopi 0
; run: f1=4 g1=0x100000
; state: g2 = 0x100005

; case: a mtc brings back flags that a move to STATUS has cleared
# Decided in `specs/src/timing.md`: what a `mtc` under way has collected is not taken back by a `move`.
        mtc f1, fcsr
        psmul f10, f60, f60
        move status, g0
        move g1, status
        nops 3
        move g2, status
        stopi 0
; run:
; check: off g0 is as after reset
; state: g1 = 0x5  g2 = 0x50005

; case: a mtc brings back flags that a move in their own bundle has cleared
        mtc f1, fcsr
        psmul f10, f60, f60 | move status, g0
        move g1, status
        nops 4
        move g2, status
        stopi 0
; run:
; check: off g0 is as after reset
; state: g1 = 0x5  g2 = 0x50005

; case: each of two mtc replaces with what was raised behind it
        mtc f1, fcsr
        psmul f10, f60, f60
        mtc f3, fcsr
        nops 4
        move g1, status
        nop
        move g2, status
        stopi 0
; run: f1=0x80 f3=8
; state: g1 = 0x250005  g2 = 0x20005

; case: the bit of a written mailbox follows two bundles behind
        move comm, g1
        move g2, status
        move g3, status
        stopi 0
; run:
; check: off g1 is as after reset
; state: g2 = 0x5  g3 = 0xd

; case: the bit of a read mailbox goes two bundles behind
        move g1, comm
        move g2, status
        move g3, status
        stopi 0
; run: status=0x10 comm=77
; state: g1 = 77  g2 = 0x15  g3 = 0x5

; case: the mailbox itself has no delay
        move comm, g1
        move g2, comm
        stopi 0
; run: g1=5
; state: g2 = 5  status = 0xc

; case: a move from the mailbox to itself writes it
        move comm, comm
        nops 1
        move g1, status
        stopi 0
; run: status=0x10 comm=77
; state: comm = 77  g1 = 0xd

; case: a move to STOPCODE is refused by the machine
        copy f1, f2
        .bundle 0x0000000000962010 @allow(C0310)
        stopi 0
; run:
; end: fault bundle 1 (0x0000000000962010), cycle 1: undefined operation: `move` to stopcode, which only `stop` and `stopi` write
; cycles: 1
; state: stopcode = 0  f1 = 0x3f80000040000000

; case: a move to STOPCODE is refused by the assembler
        move stopcode, g1
; error: 9-26 C0313 `move` to stopcode, which only `stop` and `stopi` write
;   label: only `stop` and `stopi` write it
        stopi 0

; case: STOPCODE can be read
        move g1, stopcode
        stopi 0
; run: stopcode=0x10000000000
; state: g1 = 0x10000000000  stopcode = 0
