export const price = (net) => net * 1.16 // TODO: the rate is 19 %
