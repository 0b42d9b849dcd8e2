# A program in an ELF file of 32 bits: prints, and exits with 7.
        .set    noreorder
        .globl  _start
_start: lui     $8, 0xb800
        lui     $9, %hi(text)
        addiu   $9, $9, %lo(text)
1:      lbu     $10, ($9)
        beqz    $10, 2f
        addiu   $9, $9, 1
        b       1b
        sb      $10, 0x3f8($8)
2:      li      $10, 7
        b       .
        sw      $10, 0x400($8)
text:   .asciiz "words\n"
