; The sum of n complex numbers from local memory, in every section. Comments with a word and a colon say
; what is expected: `cp2 test examples/tested.s`.

; case: four numbers
        .kernel sum
        | seti  a0, numbers             ; cycle 0
        | doi   4, last                 ; cycle 1
        | lwo   f1, (r0)+1              ; cycles 2, 13, 24, 35
        .rept   7
        nop
        .endr
        cadd    f0, f0, f1              ; 8 cycles behind the load, and 11 behind the sum before
last:   nop
        nop
        | sync
        | swi   f0, result
        | stopi 0
        .lmem   all
numbers:
        .complex 1, 2,  3, 4,  5, 6,  7, 8
result: .quad   0
; lint: none
; init: f0 = 0.0:0.0
; run:
; cycles: 55
; stats: cadd=4 flops=8 sync_hold=6
; state: [result] = 16.0:20.0  a0 = 4
; run: [numbers]=1.5:0.0 f0.s2=0.0:1.0
; state: [result] = {16.5:18.0, 16.5:18.0, 16.5:19.0, 16.5:18.0}

; case: a read that comes one bundle too early
        lwi     f1, 0
        nop
        cadd    f2, f1, f1
; lint: 9-27 C0501 f1 is read before its value arrives: 2 cycles after the write, but it takes 3
;   label: reads the old value of f1
;   related: -2:9-22 written here
;   help: issue it 1 bundle later, at distance 3, or mark it `@allow(C0501)` if the old value is meant
        stopi   0

; case: a register that does not exist
        cadd    f64, f1, f1             ; error: C0304
