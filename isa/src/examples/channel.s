# The worked example of `start_dma`, on a machine with a DMA channel.
; machine: vm7

; case: start_dma
;; A descriptor waits, so `check_dma` gives 3; it goes on and fetches zeros from system memory to words 100 and 101, and is done
        check_dma g1
        start_dma
        doi     500, last       ; time for the transfer
last:   nop
        nop
        check_dma g2
        stopi   0
; chain: zeros.toml
; run: g1 = 0  g2 = 9  [100] = 7, 8, 9
; state: g1 = 3  g2 = 0  [100] = 0, 0, 9
; file: zeros.toml
[[descriptor]]
kind = "get"
memory = { base = 0x1000, burst = 1 }
local = { base = 100, x = { step = 2, count = 1 } }
pattern = "broadcast"
sync = "before"
stop = true
