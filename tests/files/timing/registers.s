# PC, the registers of loops and calls, RIND, `check_dma`: what a bundle reads and when a write counts
# (`specs/src/timing.md`).
.macro nops n
.rept \n
        nop
.endr
.endm
; init: f2 = 0x3f80000040000000  f60 = 0x7f7fffff7f7fffff  [9] = 0x123456789abcdef0

; case: PC is the address that issues next
# In the first iteration the loop begins again.
        jumpi t
        move g1, pc
        nops 3
t:      doi 2, e
e:      move g2, pc
        move g3, pc
        move g4, pc
        stopi 0
; run:
; state: g1 = 5  g2 = 7  g3 = 8  g4 = 9
; run: max=5
; end: limit
; cycles: 5
; state: g3 = 6

; case: PC in the slot of calls and returns
        calli f
        move g1, pc
        move g2, pc
        jumpi end
        nop
f:      ret
        move g3, pc
end:    move g4, pc
        stopi 0
; run:
; state: g1 = 5  g2 = 3  g3 = 2  g4 = 8

; case: PC in the slot of a jump to a register
        jump g5
        move g1, pc
        nops 3
        nop
        stopi 0
; run: g5=4
; state: g1 = 4

; case: LC in the first bundle of 3 iterations
        doi 3, e
        move g1, lc
e:      nop
        nop
        stopi 0
; run: max=2
; end: limit
; state: g1 = 3
; run: max=5
; end: limit
; state: g1 = 2
; run: max=8
; end: limit
; state: g1 = 1
; run:
; state: g1 = 1

; case: LC in the last but one bundle of 3 iterations
# It is read behind the decision of the bundle.
        doi 3, e
        nop
e:      move g1, lc
        nop
        stopi 0
; run: max=3
; end: limit
; state: g1 = 2
; run: max=6
; end: limit
; state: g1 = 1
; run: max=9
; end: limit
; state: g1 = 0
; run:
; state: g1 = 0

; case: LC in the last bundle of 3 iterations
        doi 3, e
        nop
e:      nop
        move g1, lc
        stopi 0
; run: max=4
; end: limit
; state: g1 = 2
; run: max=7
; end: limit
; state: g1 = 1
; run: max=10
; end: limit
; state: g1 = 0
; run:
; state: g1 = 0

; case: LC in the first bundle of 4 iterations
        doi 4, e
        move g1, lc
e:      nop
        nop
        stopi 0
; run: max=2
; end: limit
; state: g1 = 4
; run: max=5
; end: limit
; state: g1 = 3
; run: max=8
; end: limit
; state: g1 = 2
; run: max=11
; end: limit
; state: g1 = 1
; run:
; state: g1 = 1

; case: LC in the last but one bundle of 4 iterations
# It is read behind the decision of the bundle.
        doi 4, e
        nop
e:      move g1, lc
        nop
        stopi 0
; run: max=3
; end: limit
; state: g1 = 3
; run: max=6
; end: limit
; state: g1 = 2
; run: max=9
; end: limit
; state: g1 = 1
; run: max=12
; end: limit
; state: g1 = 0
; run:
; state: g1 = 0

; case: LC in the last bundle of 4 iterations
        doi 4, e
        nop
e:      nop
        move g1, lc
        stopi 0
; run: max=4
; end: limit
; state: g1 = 3
; run: max=7
; end: limit
; state: g1 = 2
; run: max=10
; end: limit
; state: g1 = 1
; run: max=13
; end: limit
; state: g1 = 0
; run:
; state: g1 = 0

; case: LSP in the first bundle of 3 iterations
        doi 3, e
        move g1, lsp
e:      nop
        nop
        stopi 0
; run: max=2
; end: limit
; state: g1 = 1
; run: max=5
; end: limit
; state: g1 = 1
; run: max=8
; end: limit
; state: g1 = 1
; run:
; state: g1 = 1

; case: LSP in the last but one bundle of 3 iterations
# It is read behind the decision of the bundle.
        doi 3, e
        nop
e:      move g1, lsp
        nop
        stopi 0
; run: max=3
; end: limit
; state: g1 = 1
; run: max=6
; end: limit
; state: g1 = 1
; run: max=9
; end: limit
; state: g1 = 0
; run:
; state: g1 = 0

; case: LSP in the last bundle of 3 iterations
        doi 3, e
        nop
e:      nop
        move g1, lsp
        stopi 0
; run: max=4
; end: limit
; state: g1 = 1
; run: max=7
; end: limit
; state: g1 = 1
; run: max=10
; end: limit
; state: g1 = 0
; run:
; state: g1 = 0

; case: LA in the first bundle of 2 iterations
        doi 2, e
        move g1, la
e:      nop
        nop
        stopi 0
; run: max=2
; end: limit
; state: g1 = 0x10002
; run: max=5
; end: limit
; state: g1 = 0x10002
; run:
; state: g1 = 0x10002

; case: LA in the last but one bundle of 2 iterations
# It is read behind the decision of the bundle.
        doi 2, e
        nop
e:      move g1, la
        nop
        stopi 0
; run: max=3
; end: limit
; state: g1 = 0x10002
; run: max=6
; end: limit
; state: g1 = 0x0
; run:
; state: g1 = 0x0

; case: LA in the last bundle of 2 iterations
        doi 2, e
        nop
e:      nop
        move g1, la
        stopi 0
; run: max=4
; end: limit
; state: g1 = 0x10002
; run: max=7
; end: limit
; state: g1 = 0x0
; run:
; state: g1 = 0x0

; case: the first bundle behind do and call counts the new one
        doi 2, e
        move g1, lsp
e:      move g2, lsp
        nop
        calli f
        move g3, psp
        jumpi z
        nop
f:      ret
        move g4, psp
z:      nop
        stopi 0
; run:
; state: g1 = 1  g2 = 0  g3 = 1  g4 = 0

; case: a write to LC at the end counts for the next bundle
        doi 9, e
        updaddr (r3)+1
e:      move lc, g1
        nop
        stopi 0
; run: g1=1
; state: a3 = 2
; run: g1=0
; state: a3 = 2

; case: a write to LC before the end
# 0 acts as 1, and 32 bits of the value count.
        doi 9, e
        move lc, g1
e:      updaddr (r3)+1
        nop
        stopi 0
; run: g1=1
; state: a3 = 1
; run: g1=0
; state: a3 = 1
; run: g1=0x100000001
; state: a3 = 1

; case: a write to LC behind the end
        doi 9, e
        updaddr (r3)+1
e:      nop
        move lc, g1
        stopi 0
; run: g1=1
; state: a3 = 2

; case: a write to LC in the last iteration of an inner loop, in the body
        doi 9, o
        doi 1, i
        move lc, g1
i:      nop
        nop
        updaddr (r3)+1
o:      nop
        nop
        stopi 0
; run: g1=1
; state: a3 = 9

; case: a write to LC in the last iteration of an inner loop, at the end
# The inner loop leaves in its `end`: what is written there shortens the outer one.
        doi 9, o
        doi 1, i
        nop
i:      move lc, g1
        nop
        updaddr (r3)+1
o:      nop
        nop
        stopi 0
; run: g1=1
; state: a3 = 1

; case: a write to LC in the last iteration of an inner loop, behind the end
        doi 9, o
        doi 1, i
        nop
i:      nop
        move lc, g1
        updaddr (r3)+1
o:      nop
        nop
        stopi 0
; run: g1=1
; state: a3 = 1

; case: writes to LC and LA outside loops go nowhere
        doi 1, e
        nop
e:      move lc, g1
        move la, g1
        move g2, lc
        move g3, la
        stopi 0
; run: g1=0x50007
; state: g2 = 0  g3 = 0  lsp = 0

; case: the way back is the end of no loop
# doi, 1, 2, 3, then 1, 2, 3, 4, 5 and the stop. One bundle later is compared: the loop ends there.
        doi 2, e
        nop
e:      move la, g1
        updaddrnp (r3)+n3
        updaddrnp (r4)+n4
        nop
        stopi 0
; run: g1=0x10003
; cycles: 10
; state: a3 = 2  a4 = 1  lsp = 0
; run: g1=0x10004
; state: a3 = 2  a4 = 1

; case: a delay slot that makes itself the end is not compared either
        doi 2, e
        jumpi x
        move la, g1
        nop
e:      nop
        nop
x:      enddo
        nop
        stopi 0
; run: g1=0x10002
; cycles: 6
; state: status = 4  lsp = 0

; case: a count of zero leaves the stack and LOE alone with fifteen loops too
.macro nest n, count
.if \n > 0
        doi 1, e\@
        nest \n - 1, \count
e\@:    nop
.else
        doi \count, i
        nop
i:      nop
        move g1, lsp
        move g2, status
.endif
.endm
        nest 15, 0
        nop
        stopi 0
; run:
; state: g1 = 0  g2 = 0x5  status = 4

; case: a count of one in fifteen loops sets LOE
.macro nest n, count
.if \n > 0
        doi 1, e\@
        nest \n - 1, \count
e\@:    nop
.else
        doi \count, i
        nop
i:      nop
        move g1, lsp
        move g2, status
.endif
.endm
        nest 15, 1
        nop
        stopi 0
; run:
; state: g2 = 0x2000005  status = 0x2000004

; case: RIND beside the step of a getcoeff is the stepped angle
        getcoeff f1 | move g1, rind
        move g2, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: g1 = 11  g2 = 11

; case: the bundle before a getcoeff has the old angle
        move g1, rind
        getcoeff f1
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: g1 = 8  rind = 11

; case: a move to RIND wins over the step of a getcoeff
        getcoeff f1 | move rind, g3
        move g2, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: g2 = 100  rind = 100

; case: a move from RIND to itself beside a getcoeff
        getcoeff f1 | move rind, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: rind = 11

; case: RIND beside the step of a cbutterfly is the stepped angle
        cbutterfly f1, f20 | move g1, rind
        move g2, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: g1 = 11  g2 = 11

; case: the bundle before a cbutterfly has the old angle
        move g1, rind
        cbutterfly f1, f20
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: g1 = 8  rind = 11

; case: a move to RIND wins over the step of a cbutterfly
        cbutterfly f1, f20 | move rind, g3
        move g2, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: g2 = 100  rind = 100

; case: a move from RIND to itself beside a cbutterfly
        cbutterfly f1, f20 | move rind, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: rind = 11

; case: getcoeff beside a read of RIND has the coefficient of the old angle
        getcoeff f1 | move g1, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: f1 = 0x3f7ffffb3a490fd9

; case: getcoeff beside a write of RIND has the coefficient of the old angle
        getcoeff f1 | move rind, g3
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: f1 = 0x3f7ffffb3a490fd9

; case: getcoeff alone has the coefficient of the old angle
        getcoeff f1
        stopi 0
; run: rind=8 rstep=3 g3=100
; state: f1 = 0x3f7ffffb3a490fd9

; case: a step in no section is a step
        if(cc1) getcoeff f1 | move g1, rind
        stopi 0
; run: rind=8 rstep=3 g3=100
; check: off the condition code is as after reset
; state: g1 = 11  f1 = 0

; case: check_dma 1 bundles before a stop
        check_dma g4
        stop g4
        stopi 0
; run: dma=3 g4=9
; end: stop 9

; case: check_dma 2 bundles before a stop
        check_dma g4
        nops 1
        stop g4
        stopi 0
; run: dma=3 g4=9
; end: stop 9

; case: check_dma 3 bundles before a stop
        check_dma g4
        nops 2
        stop g4
        stopi 0
; run: dma=3 g4=9
; end: stop 3

; case: check_dma 1 bundles before a do
        check_dma g4
        do g4, e
        updaddr (r3)+1
e:      nop
        nop
        stopi 0
; run: dma=3 g4=9
; state: a3 = 9

; case: check_dma 2 bundles before a do
        check_dma g4
        nops 1
        do g4, e
        updaddr (r3)+1
e:      nop
        nop
        stopi 0
; run: dma=3 g4=9
; state: a3 = 3

; case: check_dma right before a move
        check_dma g4
        move g5, g4
        stopi 0
; run: dma=3 g4=9
; state: g5 = 3

; case: check_dma right before a jump
        check_dma g4
        jump g4
        nop
        stopi 0
; run: dma=3 g4=9
; cycles: 4

; case: the registers of stacks are not written and read zero outside loops
        move lsp, g1
        move psp, g1
        move pc, g1
        move lc, g1
        move la, g1
        move g2, lc
        move g3, la
        move g4, lsp
        move g5, psp
        stopi 0
; run: g1=7
; cycles: 10
; state: g2 = 0, 0, 0, 0
