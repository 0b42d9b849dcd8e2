    .requires warp-drive
    stopi 0
