# CONTROL.I written by a kernel (`specs/src/extensions/fft-direction.md`).
; machine: vm7 extensions.fft_direction=true
; init: rind = 24576  g1 = 0xffffffffffffffff

; case: the next bundle reads the coefficient of the other direction
        getcoeff f1 | move control, g1
        getcoeff f2
        move g2, control
        stopi 0
; run: control=0
; state: f1 = 0xbf3504f3:0x3f3504f3  f2 = 0xbf3504f3:0xbf3504f3  g2 = 0x8003  control = 0x8003

; case: a move of the mode alone takes the direction back
        move control, g3
        getcoeff f2
        stopi 0
; run: control=0x8000 g3=1
; state: f2 = 0xbf3504f3:0x3f3504f3  control = 1

; case: without the extension a move changes the mode alone
; machine: vm7
        getcoeff f1 | move control, g1
        getcoeff f2
        stopi 0
; run: control=0
; state: f1 = 0xbf3504f3:0x3f3504f3  f2 = 0xbf3504f3:0x3f3504f3  control = 3
