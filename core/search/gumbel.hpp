// Sequential halving at the root of Gumbel AlphaZero (Danihelka et al. 2022).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tengen {

// Per simulation, how many visits the move has that is to be visited next: `considered` moves get
// the same number of visits, then the better half of them, and so on. Which moves are the better
// half needs no bookkeeping: they are the ones with that many visits and the highest scores.
inline std::vector<std::uint32_t> halving_schedule(std::size_t considered, std::size_t sims) {
    std::vector<std::uint32_t> schedule;
    schedule.reserve(sims);
    const auto phases = std::max<std::size_t>(1, std::bit_width(considered - 1));
    std::uint32_t visits = 0;
    for (std::size_t left = considered; schedule.size() < sims;) {
        const std::size_t rounds = std::max<std::size_t>(1, sims / (phases * left));
        for (std::size_t round = 0; round < rounds; ++round, ++visits) {
            for (std::size_t i = 0; i < left && schedule.size() < sims; ++i) {
                schedule.push_back(visits);
            }
        }
        left = std::max<std::size_t>(std::min<std::size_t>(2, considered), left / 2);
    }
    return schedule;
}

}  // namespace tengen
