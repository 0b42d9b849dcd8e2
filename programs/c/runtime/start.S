# From reset to main, and from an exception to on_exception (runtime.h).
        .file   "start.S"
        .set    noreorder
        .set    noat
        .equ    STATUS, 0x64400080      # CU2, CU1, FR, BEV, KX
        .section .text.start, "ax"
        .globl  _start
_start:
        li      $8, STATUS
        dmtc0   $8, $12
        ehb
        mtc0    $0, $13
        dla     $29, stack_top
        dla     $8, bss_begin
        dla     $9, bss_end
1:      beq     $8, $9, 2f
        nop
        sd      $0, ($8)
        b       1b
        daddiu  $8, $8, 8
2:      ctc1    $0, $31
        jal     main
        daddiu  $29, $29, -64
        jal     exit
        move    $4, $2

# What is copied to the vectors.
        .globl  vector
vector: dla     $26, enter
        jr      $26
        nop
        .globl  vector_end
vector_end:

        .macro  each what
        \what   $1, 8
        \what   $2, 16
        \what   $3, 24
        \what   $4, 32
        \what   $5, 40
        \what   $6, 48
        \what   $7, 56
        \what   $8, 64
        \what   $9, 72
        \what   $10, 80
        \what   $11, 88
        \what   $12, 96
        \what   $13, 104
        \what   $14, 112
        \what   $15, 120
        \what   $24, 128
        \what   $25, 136
        \what   $28, 144
        \what   $31, 152
        .endm
        .macro  save register, at
        sd      \register, \at($29)
        .endm
        .macro  restore register, at
        ld      \register, \at($29)
        .endm

# The stack pointer is the program's; a program in user mode has none that is used here.
enter:  move    $27, $29
        mfc0    $26, $12
        andi    $26, $26, 0x10          # user mode
        beqz    $26, 1f
        nop
        dla     $29, handler_stack_top
1:      daddiu  $29, $29, -256
        each    save
        sd      $27, 160($29)
        mfhi    $8
        sd      $8, 168($29)
        mflo    $8
        sd      $8, 176($29)
        mfc0    $8, $13
        sd      $8, 184($29)
        dmfc0   $8, $14
        sd      $8, 192($29)
        dmfc0   $8, $8                  # BadVAddr
        sd      $8, 200($29)
        jal     on_exception
        move    $4, $29
        ld      $8, 192($29)
        dmtc0   $8, $14
        ld      $8, 168($29)
        mthi    $8
        ld      $8, 176($29)
        mtlo    $8
        each    restore
        ehb
        ld      $29, 160($29)
        eret

        .bss
        .align  4
        .space  16384
handler_stack_top:
