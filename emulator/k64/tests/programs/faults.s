# A fault each: the count of arguments says which.
.set noreorder
.text
.globl __start
.type __start, @function
__start:
    ld $4, 0($29)
    dsll $4, $4, 4
    lui $5, %hi(table)
    daddiu $5, $5, %lo(table)
    daddu $5, $5, $4
    jr $5
    nop
.size __start, .-__start
.type table, @function
table:
    .space 16
    .word 0xec000000        # 1: unknown instruction
    .space 12
    lw $6, 1($29)           # 2: unaligned
    .space 12
    lw $6, 0($0)            # 3: nothing is there
    .space 12
    lui $6, %hi(table)      # 4: a store to code
    j store
    nop
    .space 4
    teq $0, $0, 7           # 5: a trap
    .space 12
    j next                  # 6: in a delay slot
    ld $6, 4($29)
    .space 8
    lui $6, 0x7fff          # 7: overflow
    add $6, $6, $6
    .space 8
    mfc0 $6, $12            # 8: of the kernel
    .space 12
    jr $29                  # 9: to data
    nop
store:
    sw $0, %lo(table)($6)
next:
    nop
.size table, .-table
