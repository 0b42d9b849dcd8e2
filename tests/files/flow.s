# Loops, calls, jumps, `sync` and `stop`, each rule with its neighbour (`specs/src/timing.md`). `count` counts in a0.
.macro count
        updaddr (r0)+1
.endm

; case: the bundle after end belongs to the loop
        doi 5, e
        count
e:      count
        count
        count
        stopi 0
; run:
; state: a0 = 16
; cycles: 18

; case: the shortest body is two bundles
        doi 4, e
e:      count
        count
        stopi 0
; run:
; state: a0 = 8

; case: count zero nullifies one bundle and skips the body
        doi 0, e
        count
        count
e:      count
        count
        count
        stopi 0
; run:
; state: a0 = 1
; cycles: 4
; stats: both_slots=0 arithmetic_only=0 exchange_only=3 empty=0 nullified=1 sync_hold=0

; case: loops may end one bundle apart
        doi 3, o
        doi 2, i
i:      count
o:      count
        nop
        stopi 0
; run:
; state: a0 = 12
; cycles: 20

; case: fifteen loops nest
.macro nest n
.if \n > 0
        doi 1, e\@
        nest \n - 1
e\@:    count
.endif
.endm
        nest 15
        nop
        stopi 0
; run:
; state: status = 4  a0 = 15

; case: the sixteenth loop replaces the innermost
.macro nest n
.if \n > 0
        doi 1, e\@
        nest \n - 1
e\@:    count
.endif
.endm
        nest 16
        nop
        stopi 0
; run:
; state: status = 0x2000004

; case: calls return behind the delay slot
        calli f
        count
        count
        stopi 7
f:      ret
        count
; run:
; end: stop 7
; cycles: 6
; state: a0 = 3

; case: fifteen calls are no overflow
.rept 15, k
        calli behind\k
        nop
behind\k: nop
.endr
        stopi 0
; run:
; state: status = 4  psp = 15

; case: a sixteenth call sets the overflow bit
.rept 16, k
        calli behind\k
        nop
behind\k: nop
.endr
        stopi 0
; run:
; state: status = 0x800004

; case: empty stacks set underflow and nothing else
        ret
        nop
        enddo
        stopi 0
; run:
; state: status = 0x5000004
; cycles: 4

; case: enddo leaves the loop at once
        doi 9, e
        count
        enddo
        nop
e:      count
        count
        stopi 0
; run:
; state: a0 = 3

; case: sync lets the next bundle issue seven cycles later
# f2 is issued with the `sync`, 8 cycles before its store.
        inci f1, 1
        inci f2, 1 | sync
        swi f1, 0
        swi f2, 1
        swi f2, 2
        stopi 0
; run:
; check: off the stores come before anything has landed
; cycles: 12
; state: [0].s0 = 0x100000001, 0x100000001, 0x100000001

; case: the sync's own arithmetic has not landed for the next bundle
        inci f1, 1
        inci f2, 1 | sync
        swi f2, 1
        stopi 0
; run:
; check: off the store comes before anything has landed
; state: [1] = 0

; case: operations of the stop bundle complete
        inci f1, 3 | stopi 0
; run:
; state: f1 = 0x300000003

; case: the later write wins a collision and is counted
        inci f1, 3
        nop
        nop
        nop
        nop
        mtfpr f1, g1, all
        stopi 0
; run:
; state: f1 = 0
; stats: collisions=1

; case: a move one bundle earlier lands one cycle before
        inci f1, 3
        nop
        nop
        nop
        mtfpr f1, g1, all
        stopi 0
; run:
; state: f1 = 0x300000003
; stats: collisions=0

; case: a run without stop ends at the last bundle
        nop
; run:
; end: fault cycle 8192: the program ran past bundle 8191, the last of instruction memory; a `stop` is missing
; cycles: 8192

; case: the limit of cycles is exact and loses nothing
        inci f1, 1
here:   jumpi here
        nop
; run: max=5
; end: limit
; cycles: 5
; state: f1 = 0x100000001

; case: a subroutine may have loops wherever it stands
        doi 3, e
        calli f
        count
        nop
e:      nop
        nop
        stopi 0
f:      doi 2, i
        count
i:      count
        nop
        ret
        nop
; run:
; state: a0 = 15

; case: the same loop inside the body must end before it
        doi 2, 3
        doi 2, 3 @allow(C0453)
        nop
        nop
        nop
        stopi 0
; run:
; end: fault bundle 1 (0x0000000012004003), cycle 1: the loop ends at bundle 3, but the loop around it ends at 3, which must be after it

; case: a control operation behind the end is refused however the flow came there
# The flow jumps to `end` + 1 of a loop that is still active.
        doi 2, 3
        jumpi 4
        nop
        nop
        sync @allow(C0451)
        nop
        stopi 7
; run:
; end: fault bundle 4 (0x0000000002800000), cycle 3: `sync` in one of the last two bundles of a hardware loop, where control operations are not allowed

; case: an undefined bundle stops with nothing half executed
# A `swi f1, 0` beside an unknown arithmetic opcode; what was issued before completes.
        inci f1, 1
        .bundle or(0x01 << 56, 0x0a020000) @allow(C0310)
; run:
; end: fault bundle 1 (0x010000000a020000), cycle 1: undefined operation: no arithmetic operation has opcode 0x01
; cycles: 1
; state: [0] = 0  f1 = 0x100000001

; case: `run` in a kernel is a fault
        inci f1, 1
        runi 0 @allow(C0455)
; run:
; end: fault bundle 1 (0x0000000005000000), cycle 1: `run` in a kernel; only the host starts kernels
; cycles: 1

; case: a jump outside instruction memory is an error
# Bundle 8191 is inside, and empty.
        jump g1
        nop
; run: g1=8191
; end: fault cycle 3: the program ran past bundle 8191, the last of instruction memory; a `stop` is missing
; run: g1=8192
; end: fault bundle 0 (0x0000000014802000), cycle 0: address 8192 is outside instruction memory (0 to 8191)
; run: g1=0x10000000000
; end: fault bundle 0 (0x0000000014802000), cycle 0: address 1099511627776 is outside instruction memory (0 to 8191)

; case: a kernel changes only the rounding mode of CONTROL
        move control, g1
        move pc, g1
        move psp, g1
        move lsp, g1
        stopi 0
; run: g1=-1 control=0x8000
; state: control = 0x8003
; cycles: 5

; case: predicates choose sections for arithmetic and permute only
        section f1
.rept 7
        nop
.endr
        c.gt.w cc1, f1, f2
.rept 6
        nop
.endr
        if(cc1) inci f3, 5 | lwi f4, 0
        if(cc1) psprmsgn f5, f6, 0, 1, 2, 3
        stopi 0
        .lmem all
        .quad 9
; run: f2=1 f6=8
; state: fccr = {1, 1, 3, 3}  f3 = {0, 0, 0x500000005, 0x500000005}  f4 = 9  f5 = {0, 0, 8, 8}
; stats: flops=0
