# Control operations where the machine does not allow them.

; case: jump in a delay slot
 jumpi a
 jumpi a
; error: 2-9 C0450 `jumpi` in the delay slot of `jumpi`
;   label: in a delay slot
;   related: -1:2-9 this one has the delay slot
;   help: put another bundle between the two, a `nop` if nothing else is to be done
 nop
a: stopi 0

; case: stop after ret
 ret
 stopi 0
; error: 2-9 C0450 `stopi` in the delay slot of `ret`
;   label: in a delay slot
;   related: -1:2-5 this one has the delay slot
;   help: put another bundle between the two, a `nop` if nothing else is to be done

; case: sync after call
 call g1
 nop | sync
; error: 8-12 C0450 `sync` in the delay slot of `call`
;   label: in a delay slot
;   related: -1:2-9 this one has the delay slot
;   help: put another bundle between the two, a `nop` if nothing else is to be done
 stopi 0

; case: loop after calli
 calli a
 doi 2, a
; error: 2-10 C0450 `doi` in the delay slot of `calli`
;   label: in a delay slot
;   related: -1:2-9 this one has the delay slot
;   help: put another bundle between the two, a `nop` if nothing else is to be done
 nop
a: nop
 nop
 stopi 0

; case: jump at the end
 doi 2, a
 nop
a: jumpi b
; error: 4-11 C0451 `jumpi` at the end of a loop
;   label: at the end of a loop
;   related: -2:2-10 the loop begins here and ends at bundle 2
;   help: the last two bundles of a body hold no control operation; move the end down
 nop
b: stopi 0

; case: enddo at the end
 doi 2, a
 nop
a: enddo
; error: 4-9 C0451 `enddo` at the end of a loop
;   label: at the end of a loop
;   related: -2:2-10 the loop begins here and ends at bundle 2
;   help: the last two bundles of a body hold no control operation; move the end down
 nop
 stopi 0

; case: stop after the end
 do g1, a
 nop
a: nop
 stopi 0
; error: 2-9 C0451 `stopi` in the delay slot of the end of a loop
;   label: at the end of a loop
;   related: -3:2-10 the loop begins here and ends at bundle 2
;   help: the last two bundles of a body hold no control operation; move the end down

; case: jump before the end
 doi 2, a
 enddo
 jumpi b
; error: 2-9 C0452 the delay slot of `jumpi` is the end of a loop
;   label: its delay slot ends a loop
;   related: -2:2-10 the loop begins here and ends at bundle 3
;   help: move the jump up or the end down, so that another bundle lies between them
a: nop
 nop
b: stopi 0

; case: both loops end together
 doi 2, a
 doi 2, a
; error: 2-10 C0453 the inner loop ends at bundle 3, the outer one at 3, which is not behind it
;   label: ends too late
;   related: -1:2-10 the outer loop begins here
;   help: the outer `end` is at least the inner `end` + 1 (+ 2 if the inner count can be 0)
 nop
a: nop
 nop
 stopi 0

; case: inner loop ends later
 doi 2, a
 doi 2, b
; error: 2-10 C0453 the inner loop ends at bundle 5, the outer one at 3, which is not behind it
;   label: ends too late
;   related: -1:2-10 the outer loop begins here
;   help: the outer `end` is at least the inner `end` + 1 (+ 2 if the inner count can be 0)
 nop
a: nop
 nop
b: nop
 nop
 stopi 0

; case: loop begins at the end of another
 doi 2, a
 nop
a: doi 2, b
; error: 4-12 C0451 `doi` at the end of a loop
;   label: at the end of a loop
;   related: -2:2-10 the loop begins here and ends at bundle 2
;   help: the last two bundles of a body hold no control operation; move the end down
 nop
b: nop
 nop
 stopi 0

; case: loop ends at itself
a: doi 2, a
; error: 4-12 C0454 the loop ends at bundle 0, before its first bundle 1
;   label: ends before it starts
;   help: `end` is the last bundle but one of the body, which has at least two
 nop
 nop
 stopi 0

; case: loop ends before
 nop
a: nop
 doi 2, a
; error: 2-10 C0454 the loop ends at bundle 1, before its first bundle 3
;   label: ends before it starts
;   help: `end` is the last bundle but one of the body, which has at least two
 nop
 nop
 stopi 0

; case: runi in a kernel
 runi 0
; error: 2-8 C0455 `runi` in a kernel; only the host FIFO starts a kernel
;   label: only from the host FIFO
;   help: within a kernel `jumpi` and `calli` go to an address
 stopi 0

; case: run in a kernel
 nop | run g1
; error: 8-14 C0455 `run` in a kernel; only the host FIFO starts a kernel
;   label: only from the host FIFO
;   help: within a kernel `jumpi` and `calli` go to an address
 stopi 0

; case: raw words obey the rules too
 .bundle 0x0000000001800000
 .bundle 0x0000000001800000
; error: 2-28 C0450 `ret` in the delay slot of `ret`
;   label: in a delay slot
;   related: -1:2-28 this one has the delay slot
;   help: put another bundle between the two, a `nop` if nothing else is to be done
 nop

; case: repetitions around linear code end where instruction memory does
.rept 100
.rept 100
.linear
 lwo %x, (r0)+1
 psadd %y, %x, %x
 swo %y, (r1)+1
.endlinear ; error: C0413
.endr
.endr
 stopi 0

; case: a loop that does not fit is no loop that ends before it begins
.rept 100
.rept 100
.linear
.loop 4
 lwo %x, (r0)+1
 swo %x, (r1)+1
.endloop
.endlinear ; error: C0413
.endr
.endr
 stopi 0

; case: and where a block is as large as the scheduler takes
.linear
.rept 200
.rept 200
 psadd f1, f1, f2 ; error: C0612
.endr
.endr
.endlinear
 stopi 0

; case: accesses that may all meet
.linear
.rept 1200
 lwnp %x, (r0)+n0 ; error: C0612
 swo %x, (r1)+1
.endr
.endlinear
 stopi 0
