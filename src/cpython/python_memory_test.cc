// SPDX-License-Identifier: Apache-2.0
#include "cpython/python_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

namespace sparkprof {
namespace {

constexpr size_t kPage = 4096;

// Pages of this process that are read as another's.
class Pages {
 public:
  explicit Pages(size_t count) : size_(count * kPage) {
    void* bytes = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bytes_ = bytes == MAP_FAILED ? nullptr : static_cast<char*>(bytes);
  }
  ~Pages() { munmap(bytes_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void Set(size_t at, uint64_t value) { std::memcpy(bytes_ + at, &value, sizeof value); }
  uint64_t Address(size_t at) const { return reinterpret_cast<uint64_t>(bytes_) + at; }
  void Unmap(size_t page) { munmap(bytes_ + page * kPage, kPage); }

 private:
  char* bytes_ = nullptr;
  const size_t size_;
};

class ProcessMemoryTest : public testing::Test {
 protected:
  uint64_t Read(uint64_t address) {
    uint64_t value = 0;
    EXPECT_TRUE(memory_->Read(address, &value, sizeof value));
    return value;
  }

  std::unique_ptr<ProcessMemory> memory_ = std::make_unique<ProcessMemory>(getpid());
};

TEST_F(ProcessMemoryTest, WhatWasReadOnceIsAsItWasWhenTheNextSampleBegan) {
  Pages pages(2);
  pages.Set(8, 1);
  pages.Set(kPage + 8, 2);
  memory_->BeginSample();
  EXPECT_EQ(Read(pages.Address(8)), 1u);
  EXPECT_EQ(Read(pages.Address(kPage + 8)), 2u);
  memory_->BeginSample();
  pages.Set(8, 10);
  pages.Set(kPage + 8, 20);
  EXPECT_EQ(Read(pages.Address(8)), 1u);
  EXPECT_EQ(Read(pages.Address(kPage + 8)), 2u);
  memory_->LookAgain();  // fetched with the first look
  EXPECT_EQ(Read(pages.Address(8)), 1u);
  memory_->BeginSample();
  EXPECT_EQ(Read(pages.Address(8)), 10u);
  EXPECT_EQ(Read(pages.Address(kPage + 8)), 20u);
}

TEST_F(ProcessMemoryTest, AfterSomethingWasMissingTheNextLookIsALaterOne) {
  Pages pages(10);
  memory_->BeginSample();
  Read(pages.Address(0));
  memory_->BeginSample();
  pages.Set(0, 1);
  Read(pages.Address(9 * kPage));  // as it is now, the other as it was
  memory_->LookAgain();
  EXPECT_EQ(Read(pages.Address(0)), 1u);
}

TEST_F(ProcessMemoryTest, RegionsThatGrowTogetherStayRight) {
  Pages pages(8);
  for (size_t at = 0; at < 8 * kPage; at += 8) pages.Set(at, at);
  uint32_t random = 5;
  for (int sample = 0; sample < 200; ++sample) {
    memory_->BeginSample();
    for (int i = 0; i < 20; ++i) {
      random = random * 1664525 + 1013904223;
      const size_t at = (random >> 8) % (8 * kPage - 64) / 8 * 8;
      if (i % 7 == 0) memory_->Expect(pages.Address(at), 64);
      ASSERT_EQ(Read(pages.Address(at)), at) << "sample " << sample;
    }
    memory_->LookAgain();
    ASSERT_EQ(Read(pages.Address(8 * kPage - 8)), 8 * kPage - 8);
  }
}

TEST_F(ProcessMemoryTest, MemoryThatIsGoneTakesNothingElseAlong) {
  // So far apart that none is fetched with its neighbor.
  Pages pages(15);
  for (size_t page = 0; page < 15; page += 3) pages.Set(page * kPage, page + 1);
  memory_->BeginSample();
  for (size_t page = 0; page < 15; page += 3) Read(pages.Address(page * kPage));
  pages.Unmap(3);
  pages.Unmap(9);
  for (int sample = 0; sample < 3; ++sample) {
    memory_->BeginSample();
    for (const size_t page : {0, 6, 12}) {
      pages.Set(page * kPage, 100 + page);
      EXPECT_EQ(Read(pages.Address(page * kPage)), sample == 0 ? page + 1 : 100 + page) << "fetched, not read now";
    }
    uint64_t value = 0;
    EXPECT_FALSE(memory_->Read(pages.Address(3 * kPage), &value, sizeof value));
    EXPECT_FALSE(memory_->Read(pages.Address(9 * kPage), &value, sizeof value));
  }
}

TEST_F(ProcessMemoryTest, MoreThanFitsIsReadOneByOne) {
  constexpr size_t kPages = 700;
  Pages pages(kPages);
  for (size_t page = 0; page < kPages; ++page) pages.Set(page * kPage, page);
  for (int sample = 0; sample < 8; ++sample) {
    memory_->BeginSample();
    memory_->Expect(pages.Address(0), 60 << 10);
    memory_->Expect(pages.Address(kPages / 2 * kPage), 64 << 10);
    for (size_t page = 0; page < kPages; ++page) ASSERT_EQ(Read(pages.Address(page * kPage)), page);
    memory_->LookAgain();
    for (size_t page = 0; page < kPages; ++page) ASSERT_EQ(Read(pages.Address(page * kPage)), page);
  }
}

TEST_F(ProcessMemoryTest, WhatHardlyEverChangesIsKeptUntilItIsForgotten) {
  Pages pages(1);
  pages.Set(0, 1);
  uint64_t value = 0;
  ASSERT_TRUE(memory_->ReadStable(pages.Address(0), &value, sizeof value));
  pages.Set(0, 2);
  memory_->ForgetStable();
  ASSERT_TRUE(memory_->ReadStable(pages.Address(0), &value, sizeof value));
  EXPECT_EQ(value, 2u);
  EXPECT_FALSE(memory_->ReadStable(8, &value, sizeof value));
}

TEST_F(ProcessMemoryTest, WhatHardlyEverChangesIsRenewedTogether) {
  // The last lies behind one that is gone: not before it is read alone.
  const std::vector<uint64_t> expected{2, 2, 2, 0, 3};
  std::vector<uint64_t> values;
  // Two addresses may have one place, which is then read alone: other addresses do not.
  std::vector<std::unique_ptr<Pages>> attempts;
  while (values != expected && attempts.size() < 5) {
    attempts.push_back(std::make_unique<Pages>(5));
    Pages& pages = *attempts.back();
    const auto read = [&](size_t page) {
      uint64_t value = 0;
      return memory_->ReadStable(pages.Address(page * kPage), &value, sizeof value) ? value : 0;
    };
    for (size_t page = 0; page < 5; ++page) pages.Set(page * kPage, 1);
    memory_->BeginSample();
    for (size_t page = 0; page < 5; ++page) ASSERT_EQ(read(page), 1u);
    pages.Unmap(3);
    for (const size_t page : {0, 1, 2, 4}) pages.Set(page * kPage, 2);
    while (read(0) != 2) memory_->BeginSample();
    for (const size_t page : {0, 1, 2, 4}) pages.Set(page * kPage, 3);
    values.clear();
    for (size_t page = 0; page < 5; ++page) values.push_back(read(page));
  }
  EXPECT_EQ(values, expected);
}

}  // namespace
}  // namespace sparkprof
