# Entry of the monitor into other code, and the way back at its next exception.
        .file   "enter.S"
        .set    noreorder
        .set    noat

# Offsets in `state` (monitor.c).
        .equ    HI, 256
        .equ    LO, 264
        .equ    PC, 272
        .equ    STATUS, 280
        .equ    VECTOR, 288
        .equ    STACK, 296
        .equ    CP0, 304
        .equ    KERNEL, 0x24000080      # CU1, FR, KX

        .macro  guests what
        .irp    n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,28,29,30,31
        \what   $\n, 8*\n($27)
        .endr
        .endm
        .macro  own what
        .irp    n, 16,17,18,19,20,21,22,23,28,30,31
        \what   $\n, 8*\n-128($29)
        .endr
        .endm

# void enter(void): registers, program counter and Status are those of `state`.
        .globl  enter
enter:  daddiu  $29, $29, -256
        own     sd
        dla     $27, state
        sd      $29, STACK($27)
        ld      $8, HI($27)
        mthi    $8
        ld      $8, LO($27)
        mtlo    $8
        ld      $8, PC($27)
        dmtc0   $8, $14
        ld      $8, STATUS($27)
        ori     $8, $8, 2
        mtc0    $8, $12
        ehb
        guests  ld
        eret

        .globl  leave
leave:  move    $26, $27
        dla     $27, state
        guests  sd
        sd      $26, VECTOR($27)
        mfhi    $8
        sd      $8, HI($27)
        mflo    $8
        sd      $8, LO($27)
        .irp    n, 0,2,3,4,5,6,8,10,12,13,14,20,30
        dmfc0   $8, $\n
        sd      $8, CP0+8*\n($27)
        .endr
        li      $8, KERNEL
        mtc0    $8, $12
        ehb
        ld      $29, STACK($27)
        own     ld
        jr      $31
        daddiu  $29, $29, 256

# What is copied to the vectors.
        .globl  vectors
vectors:
        .irp    offset, 0,0x80,0x180,0x200
        dla     $26, leave
        jr      $26
        li      $27, \offset
        nop
        nop
        nop
        nop
        .endr
        .globl  vectors_end
vectors_end:
