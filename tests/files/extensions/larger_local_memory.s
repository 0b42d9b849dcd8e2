# More words of local memory (`specs/src/extensions/larger-local-memory.md`).
; machine: core.local_memory_words=32768

; case: immediate addresses, modes and steps have 15 bits
        lwi f1, 32767
        clr r2
        lwo f2, (r2)-1
        move g1, m2
        lwo f3, (r2)+1
        move g2, a2
        stopi 0
; run: [32767]=5:6 [0]=7:8
; state: f1 = 5:6  f2 = 7:8  f3 = 5:6  g1 = 32767  g2 = 0

; case: 8191 is the mode of a circle
        lwo f2, (r2)+1
        stopi 0
; run: a2=24575 m2=8191
; state: a2 = 16384

; case: steps reverse 15 bits
        lwnp f2, (r2)+n2
        stopi 0
; run: a2=0 n2=16384 m2=0 [0]=1:2
; state: a2 = 16384  f2 = 1:2

; case: an address beyond what there is
; machine: core.local_memory_words=16384
        lwi f1, 16384
; error: 17-22 C0305 16384 is out of range: `lwi` takes 0 to 16383 here
;   label: must be from 0 to 16383
;   help: `--enable larger-local-memory=32768` gives a machine that has it
        stopi 0
