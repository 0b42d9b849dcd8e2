# Worked examples of the flow of control. The bundle behind a jump, a call or a return is its delay slot and is executed.

; case: jumpi
        jumpi   there
        seti    g1, 1           ; the delay slot
        seti    g2, 2           ; passed over
there:  seti    g3, 3
        stopi   0
; run: g1 = 0  g2 = 0  g3 = 0
; state: g1 = 1  g2 = 0  g3 = 3

; case: jump
;; To bundle 3, which the register names
        jump    g4
        seti    g1, 1           ; the delay slot
        seti    g2, 2           ; passed over
        seti    g3, 3           ; bundle 3
        stopi   0
; run: g1 = 0  g2 = 0  g3 = 0  g4 = 3
; state: g1 = 1  g2 = 0  g3 = 3

; case: calli
;; The return goes to the bundle behind the delay slot
        calli   sub
        seti    g1, 1           ; the delay slot
        seti    g2, 2           ; where the return goes
        stopi   0
sub:    ret
        move    g3, g1          ; its delay slot
; run: g1 = 0  g2 = 0  g3 = 0
; state: g1 = 1  g2 = 2  g3 = 1

; case: call
;; The same with the address, bundle 4, in a register, which is written two bundles before at the latest
        call    g4
        seti    g1, 1           ; the delay slot
        seti    g2, 2           ; where the return goes
        stopi   0
        ret                     ; bundle 4
        move    g3, g1          ; its delay slot
; run: g1 = 0  g2 = 0  g3 = 0  g4 = 4
; state: g1 = 1  g2 = 2  g3 = 1

; case: ret
;; PSP tells how many calls are active: one within the subroutine, none behind it
        calli   sub
        nop
        move    g2, psp
        stopi   0
sub:    move    g1, psp
        ret
        nop
; run: g1 = 9  g2 = 9
; state: g1 = 1  g2 = 0

; case: doi
;; Three times; the bundle behind the one that is named belongs to the loop too
        doi     3, last
last:   updaddr (r1)+1
        updaddr (r2)+10
        stopi   0
; run: a1 = 0  a2 = 0
; state: a1 = 3  a2 = 30

; case: do
;; As often as the register says, which is written two bundles before at the latest
        do      g1, last
last:   updaddr (r1)+1
        updaddr (r2)+10
        stopi   0
; run: g1 = 3  a1 = 0  a2 = 0
; state: a1 = 3  a2 = 30

; case: enddo
;; The loop is left in its first of three turns, which goes on to the end and behind it
        doi     3, last
        enddo
        updaddr (r1)+1
last:   updaddr (r2)+10
        nop
        stopi   0
; run: a1 = 0  a2 = 0
; state: a1 = 1  a2 = 10

; case: sync
;; The copy sees the sum; without the `sync` it would see the old f1
        psadd   f1, f2, f3
        sync
        copy    f4, f1
        stopi   0
; run: f1 = 7.0:8.0  f2 = 1.0:2.0  f3 = 3.0:4.0
; state: f1 = 4.0:6.0  f4 = 4.0:6.0

; case: stopi
;; The host reads the code from STOPCODE
        stopi   7
; run: stopcode = 0
; end: stop 7
; state: stopcode = 7

; case: stop
;; The register is written three bundles before at the latest
        stop    g1
; run: g1 = 0x123456789  stopcode = 0
; end: stop 4886718345
; state: stopcode = 0x123456789

; case: check_dma
;; `dma` is the state of the channel: 5 is busy (bit 0) and moving data (bit 2)
        check_dma g1
        stopi   0
; run: dma = 5  g1 = 0
; state: g1 = 5

; case: runi
;; From the host FIFO alone, where the host writes it as a bundle; in a kernel it is refused
        nop
        nop
begin:  seti    g1, 5
        stopi   0
; run: fifo=begin  g1 = 0
; state: g1 = 5

; case: run
;; From the host FIFO alone: the kernel at bundle 2, which the register names, begins
        nop
        nop
        seti    g1, 5           ; bundle 2
        stopi   0
; run: fifo=g2  g1 = 0  g2 = 2
; state: g1 = 5
