    .requires fft-direction
    stopi 0
