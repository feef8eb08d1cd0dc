// SPDX-License-Identifier: Apache-2.0
// The allocation of programs that link it:
// - Memory counts for the thread's MemoryLimit, and a canceled thread gets none.
// - Large tables are on huge pages. A profile's tables of stacks and weights are tens of megabytes that are written
//   once; with pages of 4 KiB, `sparkprof flame` spent a third of its time on page faults. No effect if the system has
//   no huge pages (/sys/kernel/mm/transparent_hugepage/enabled is "never").
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/cancellation.h"
#include "base/memory_limit.h"

namespace {

void* Allocate(size_t size) {
// Sanitizers replace the allocator themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr size_t kHugePage = size_t{2} << 20;
  if (size >= kHugePage && size <= SIZE_MAX - kHugePage) {
    const size_t whole = (size + kHugePage - 1) & ~(kHugePage - 1);
    void* const memory = std::aligned_alloc(kHugePage, whole);
    if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
  }
#endif
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(size_t size) {
  if (sparkprof::Cancellation::IsDue()) throw sparkprof::Cancellation::Canceled();
  sparkprof::MemoryLimit* const limit = sparkprof::MemoryLimit::Current();
  if (limit != nullptr && !limit->Allows(size)) throw sparkprof::MemoryLimit::Exceeded();
  for (;;) {
    void* const memory = Allocate(size);
    if (memory != nullptr) {
      if (limit != nullptr) limit->Add(malloc_usable_size(memory));
      return memory;
    }
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
  }
}

void operator delete(void* memory) noexcept {
  sparkprof::MemoryLimit* const limit = sparkprof::MemoryLimit::Current();
  if (limit != nullptr && memory != nullptr) limit->Subtract(malloc_usable_size(memory));
  std::free(memory);
}

// The default nothrow forms call these, but those of a sanitizer do not.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const sparkprof::Cancellation::Canceled&) {
    sparkprof::Cancellation::CancelCurrent();  // raises an exception at the next cancellation point
    return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, size_t) noexcept { operator delete(memory); }
