// The memory of a tree: one stretch of address space, which the system fills as it is used.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "isa.hpp"

TENGEN_BEGIN

// Nothing ever moves, so a tree that grows copies nothing. After the first 2 MB the pages are 2 MB
// long where the system has such: fewer faults while the tree grows, and a descent hardly ever
// misses the address cache. A small tree takes small pages, and few.
class TreeMemory {
public:
    // Of `bytes`, as much as the system lets us reserve.
    explicit TreeMemory(std::size_t bytes) {
        for (size_ = std::max(bytes, kLeast); !reserve(); size_ /= 2) {
            if (size_ < kLeast) throw std::bad_alloc();
        }
    }
    TreeMemory(TreeMemory&& other) noexcept
        : mapped_(std::exchange(other.mapped_, nullptr)), data_(other.data_), size_(other.size_) {}
    TreeMemory& operator=(TreeMemory&& other) noexcept {
        std::swap(mapped_, other.mapped_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~TreeMemory() {
        if (mapped_ != nullptr) munmap(mapped_, mapped_bytes());
    }

    std::byte* data() const { return data_; }  // aligned to 2 MB
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t kLeast = 1 << 12;
    static constexpr std::size_t kHugePage = 1 << 21;

    std::size_t mapped_bytes() const { return size_ + kHugePage; }

    bool reserve() {
        void* at = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) return false;
        mapped_ = at;
        const auto begin = reinterpret_cast<std::uintptr_t>(at);
        data_ = static_cast<std::byte*>(at) + (kHugePage - begin % kHugePage) % kHugePage;
#ifdef MADV_HUGEPAGE
        if (size_ > kHugePage) madvise(data_ + kHugePage, size_ - kHugePage, MADV_HUGEPAGE);
#endif
        return true;
    }

    void* mapped_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

TENGEN_END
