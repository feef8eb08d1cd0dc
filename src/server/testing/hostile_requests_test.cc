// SPDX-License-Identifier: Apache-2.0
// Requests of a few KB that expand to gigabytes are rejected with 413 before they use more than their share of memory
// and time.
#include <fmt/format.h>
#include <sched.h>

#include <protozero/pbf_writer.hpp>

#include "base/io/compression.h"
#include "model/hash_bytes.h"
#include "proofs/known_proof.h"
#include "render/writers/gzip.h"
#include "server/folders/collector_files.h"
#include "server/ingest/recording_store.h"
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

std::string Repeat(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// A complete block with this message.
std::string BlockOf(const std::string& message) {
  const std::string payload = ZstdCompress(message);
  std::string block(kBlockMagic);
  const auto append = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) block += static_cast<char>(value >> (8 * i));
  };
  append(kBlockVersion, 2);
  append(0, 2);
  append(payload.size(), 4);
  append(message.size(), 4);
  append(HashBytes(payload), 8);
  return block + payload;
}

// A line of /proc/self/status, in bytes.
size_t Status(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    size_t kib = 0;
    if (word == name + ":" && status >> kib) return kib << 10;
  }
  return 0;
}

class HostileRequestsTest : public CollectorTest {
 protected:
  // Returns the status of the answer. Checks that the process needed no more memory than a request may.
  unsigned Post(const std::string& target, const std::string& body, const HttpHeaders& headers = {}) {
    std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
    const size_t before = Status("VmRSS");
    const unsigned status = Send("POST", target, body, headers).status;
    const size_t after = Status("VmHWM");
    // A growing vector has two copies, and a body is compressed.
    EXPECT_LT(after, before + 2 * kRequestMemory + 4 * body.size()) << target;
    return status;
  }
};

TEST_F(HostileRequestsTest, ABlockOfEmptyMessagesIsTooLarge) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string address = "/api/sparkprof/v1/recordings";
  for (const char* field : {"\x5a", "\x62", "\x72"}) {  // processes, losses, settings
    const std::string bomb = BlockOf(Repeat(std::string(field) + '\0', size_t{8} << 20));
    EXPECT_LT(bomb.size(), 4000u);
    EXPECT_EQ(Post(address, bomb), 413u);
    EXPECT_EQ(Post(address, EncodeBlock(ExampleSegment()) + bomb), 413u);
  }
  EXPECT_EQ(Answer("/api/sparkprof/v1/applications").find("\"id\""), std::string::npos) << "nothing was stored";
  SendApplication("app-1");
}

TEST_F(HostileRequestsTest, MessagesOfManyBlocksAddUp) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  // An unknown field of zeros needs little memory, but a request full of them much time.
  const std::string zeros =
      BlockOf("\xfa\x3f" + std::string("\x80\x80\x80\x04", 4) + std::string(size_t{8} << 20, '\0'));
  EXPECT_EQ(Post("/api/sparkprof/v1/recordings", Repeat(zeros, 4)), 200u);
  EXPECT_EQ(Post("/api/sparkprof/v1/recordings", Repeat(zeros, 40)), 413u);
}

TEST_F(HostileRequestsTest, StoredBlocksThatExpandTogetherAreNotRead) {
  ServerOptions options;
  options.max_cache_bytes = size_t{16} << 20;
  if (!Start({}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  SendApplication("app-1");
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-2";
  segment.samples.assign(300'000, segment.samples.front());
  size_t stored = 0;
  for (uint64_t sequence = 1; sequence <= 30; ++sequence) {
    segment.source.sequence = sequence;
    const std::string block = EncodeBlock(segment);
    stored += block.size();
    EXPECT_EQ(Send("POST", "/api/sparkprof/v1/recordings", block).status, 200u);
  }
  EXPECT_LT(stored, size_t{1} << 20);
  std::ofstream("/proc/self/clear_refs") << "5";
  const size_t before = Status("VmRSS");
  // The server may answer with what it loaded for the first blocks.
  while (Get("/api/sparkprof/v1/applications/app-2").status == 200) sched_yield();
  for (const std::string what : {"", "/flame", "/report"}) {
    const HttpResponse response = Get("/api/sparkprof/v1/applications/app-2" + what);
    EXPECT_EQ(response.status, 503u) << what;
    EXPECT_NE(response.Body().find("app-2: reading it needs more than 256 MiB of memory"), std::string_view::npos)
        << response.Body();
  }
  EXPECT_LT(Status("VmHWM"), before + (size_t{256} << 20) + 2 * kRequestMemory);
  EXPECT_EQ(Get("/api/sparkprof/v1/applications/app-1").status, 200u);
}

TEST_F(HostileRequestsTest, ProfilesThatExpandAreTooLarge) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string folded = Repeat("a;", size_t{8} << 20) + "a 1\n";
  EXPECT_EQ(Post("/ingest?name=a&format=folded", Gzip(folded)), 413u);
  EXPECT_EQ(Post("/ingest?name=a&format=folded", folded), 413u);
  EXPECT_EQ(Post("/ingest?name=a&format=lines", Gzip(Repeat("a\n", size_t{32} << 20))), 413u);
  const std::string strings = Gzip(Repeat(std::string("\x32\0", 2), size_t{16} << 20));
  EXPECT_EQ(Post("/ingest?name=a&format=pprof", strings), 413u);
  const std::string form =
      "--b\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\n" + strings + "\r\n--b--\r\n";
  EXPECT_EQ(Post("/ingest?name=a&format=pprof", form, {{"content-type", "multipart/form-data; boundary=b"}}), 413u);
  const std::string stacks =
      std::string("\x0a\0", 2) + "\x12\x80\x80\x80\x10" + Repeat(std::string("\x3a\0", 2), size_t{16} << 20);
  EXPECT_EQ(Post("/v1development/profiles", Gzip(stacks), {{"content-type", "application/x-protobuf"}}), 413u);
  const HttpHeaders json = {{"content-type", "application/json"}};
  const std::string values = "{\"dictionary\":{\"stackTable\":[" + Repeat("{},", size_t{16} << 20) + "{}]}}";
  EXPECT_EQ(Post("/v1development/profiles", Gzip(values), json), 413u);
  EXPECT_EQ(Post("/push.v1.PusherService/Push", Gzip("{\"series\":[" + Repeat("{},", size_t{16} << 20) + "{}]}"), json),
            413u);
  EXPECT_EQ(Post("/push.v1.PusherService/Push", Gzip(std::string(size_t{100} << 20, ' ')), json), 413u);
  EXPECT_EQ(Post("/ingest?name=a&format=folded", "a;b 3\n"), 200u);
}

TEST_F(HostileRequestsTest, AListOfProofsCopiesOnlyWhatItShows) {
  std::filesystem::create_directories(Path("proofs"));
  constexpr int kGroups = 1'000, kProofs = 10;
  for (int group = 0; group < kGroups; ++group) {
    std::ofstream file(Path(fmt::format("proofs/{}.jsonl", group)));
    for (int proof = 0; proof < kProofs; ++proof) {
      KnownProof known{.subject = {.time_ms = proof, .group = std::to_string(group)}, .verdict = "proved"};
      known.subject.rule = fmt::format("{} {} {}", group, proof, std::string(400, 'r'));
      known.worse.assign(10, std::string(450, 'w'));
      file << WithChecksum(fmt::format(R"({{"sender":"","viewers":"","proof":{}}})", KnownProofJson(known))) << "\n";
    }
  }
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string address = "/api/sparkprof/v1/proofs?limit=1";
  const std::string warm = Answer(address);
  EXPECT_NE(warm.find(fmt::format(R"("total":{})", kGroups * kProofs)), std::string::npos) << warm.substr(0, 200);
  EXPECT_LT(warm.size(), size_t{1} << 20) << "1,000 rules";
  std::ofstream("/proc/self/clear_refs") << "5";
  const size_t before = Status("VmRSS");
  EXPECT_EQ(Get(address).status, 200u);
  EXPECT_LT(Status("VmHWM"), before + (size_t{8} << 20)) << "the proofs take 50 MiB";
}

}  // namespace
}  // namespace sparkprof
