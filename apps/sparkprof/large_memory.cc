// SPDX-License-Identifier: Apache-2.0
// Puts large tables on huge pages. A profile's tables of stacks and weights are tens of megabytes that are written
// once; with pages of 4 KiB, `sparkprof flame` spent a third of its time on page faults. No effect if the system has no
// huge pages (/sys/kernel/mm/transparent_hugepage/enabled is "never").
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

// Sanitizers have their own allocator.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The library's other forms of new and delete call this one and free().
void* operator new(size_t size) {
  constexpr size_t kHugePage = size_t{2} << 20;
  for (;;) {
    void* memory = nullptr;
    if (size < kHugePage || size > SIZE_MAX - kHugePage) {
      memory = std::malloc(size == 0 ? 1 : size);
    } else {
      const size_t whole = (size + kHugePage - 1) & ~(kHugePage - 1);
      memory = std::aligned_alloc(kHugePage, whole);
      if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);
    }
    if (memory != nullptr) return memory;
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

#endif
