// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/profile_requests.h"

#include <gtest/gtest.h>

#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "base/time.h"
#include "http/message.h"
#include "model/segment/block.h"
#include "render/writers/gzip.h"

namespace sparkprof {
namespace {

using protozero::pbf_writer;

constexpr int64_t kNow = 1'795'000'000 * kNanosPerSecond;

std::string Message(const std::function<void(pbf_writer&)>& write) {
  std::string bytes;
  pbf_writer writer{bytes};
  write(writer);
  return bytes;
}

// main calls work: 70 ms of CPU in 7 samples.
std::string Pprof() {
  return Message([](pbf_writer& profile) {
    const auto pair = [](uint64_t a, uint64_t b) {
      return Message([&](pbf_writer& writer) {
        writer.add_uint64(1, a);
        writer.add_uint64(2, b);
      });
    };
    profile.add_message(1, pair(1, 2));
    profile.add_message(1, pair(3, 4));
    profile.add_message(2, Message([](pbf_writer& sample) {
                          const uint64_t stack[] = {2, 1}, values[] = {7, 70'000'000};
                          sample.add_packed_uint64(1, std::begin(stack), std::end(stack));
                          sample.add_packed_uint64(2, std::begin(values), std::end(values));
                        }));
    for (const uint64_t id : {1, 2}) {
      profile.add_message(4, Message([&](pbf_writer& location) {
                            location.add_uint64(1, id);
                            location.add_message(4, Message([&](pbf_writer& line) { line.add_uint64(1, id); }));
                          }));
      profile.add_message(5, pair(id, id + 4));
    }
    for (const char* text : {"", "samples", "count", "cpu", "nanoseconds", "main", "work"}) profile.add_string(6, text);
  });
}

HttpRequest Ingest(const std::string& query, std::string body, const std::string& content_type = "") {
  HttpRequest request;
  for (const std::string_view pair : Split(query, '&')) {
    const size_t equals = pair.find('=');
    request.parameters.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  if (!content_type.empty()) request.headers = {{"content-type", content_type}};
  request.body = std::move(body);
  return request;
}

// "SERVICE EVENT: root;leaf WEIGHT COUNT" for all samples in the blocks of a request, or the error's message.
std::string Stored(const Result<ReceivedProfiles>& received) {
  if (!received) return received.error().message;
  std::string blocks, text;
  for (const ReceivedProfile& profile : received->profiles) {
    if (const Result<uint64_t> added = AppendProfile(profile, kNow, &blocks); !added) return added.error().message;
  }
  if (blocks.empty()) return "nothing";
  const Result<RecordingStatus> read = ReadBlocks(blocks, "blocks", [&](Segment&& segment) {
    for (const SegmentSample& sample : segment.samples) {
      std::string stack;
      for (StackId id = sample.stack; id != 0; id = segment.stacks.Get(id).parent) {
        const std::string_view name = segment.strings.Get(segment.frames.Get(segment.stacks.Get(id).frame).name);
        stack = std::string(name) + (stack.empty() ? "" : ";") + stack;
      }
      const std::string event =
          segment.source.role == "profile" ? std::string(EventName(sample.event)) : segment.source.role;
      text += segment.source.application_name + " " + event + ": " + stack + " " + std::to_string(sample.weight) + " " +
              std::to_string(sample.count) + "\n";
    }
  });
  EXPECT_TRUE(read) << read.error().message;
  return text;
}

std::string StoredIngest(const std::string& query, const std::string& body, const std::string& content_type = "") {
  const HttpRequest request = Ingest(query, body, content_type);
  return Stored(ParseIngest(request, kNow));
}

TEST(IngestTest, FoldedSamplesBecomeCpuTimeByTheirRate) {
  EXPECT_EQ(
      StoredIngest("name=shop.cpu{region=eu,host=a}&from=1794999990&until=1795000000&sampleRate=50", "main;work 3\n"),
      "shop{host=a, region=eu} cpu: main;work 60000000 3\n");
}

TEST(IngestTest, FoldedBytesKeepTheNameOfTheirKind) {
  EXPECT_EQ(StoredIngest("name=shop.inuse_space{}&units=bytes&format=folded", "main;work 4096\n"),
            "shop profile:bytes:inuse_space: main;work 4096 4096\n");
}

TEST(IngestTest, EachLineIsASample) {
  const std::string lines = "main;work\n\nmain;work\n", expected = "shop cpu: main;work 20000000 2\n";
  EXPECT_EQ(StoredIngest("name=shop&format=lines", lines), expected);
  EXPECT_EQ(StoredIngest("name=shop&format=lines", Gzip(lines)), expected);
}

TEST(IngestTest, ReadsPprofAloneCompressedAndInAForm) {
  const std::string expected = "shop cpu: main;work 70000000 7\n";
  EXPECT_EQ(StoredIngest("name=shop.cpu&format=pprof", Pprof()), expected);
  EXPECT_EQ(StoredIngest("name=shop.cpu&format=pprof", Gzip(Pprof())), expected);
  const std::string form =
      "--XX\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n" + Pprof() +
      "\r\n--XX\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n{}\r\n--XX--\r\n";
  EXPECT_EQ(StoredIngest("name=shop.cpu", form, "multipart/form-data; boundary=XX"), expected);
}

TEST(IngestTest, RefusesWhatItCannotReadWithTheReason) {
  EXPECT_EQ(StoredIngest("name=shop&format=trie", "x"),
            "format: 'trie' is unsupported; expected folded, lines, pprof or jfr");
  EXPECT_EQ(StoredIngest("name=shop&from=yesterday", "a 1\n"),
            "from: invalid time 'yesterday'; expected seconds, ms, us or ns since the Unix epoch");
  EXPECT_EQ(StoredIngest("name=shop&from=1895000000", "a 1\n"),
            "from: 1895000000 is more than a day in the future; check the client's clock");
  EXPECT_EQ(StoredIngest("name=shop{region", "a 1\n"), "name: 'shop{region' has no closing brace");
  EXPECT_EQ(StoredIngest("name=&format=folded", "a 1\n"), "name: expected 1 to 256 bytes");
}

TEST(IngestTest, SecretsAreRedactedInLabelsAndFrames) {
  const std::string stored = StoredIngest("name=shop{password=hunter2hunter2}", "main;token=abcdefghijkl0123 1\n");
  EXPECT_EQ(stored.find("hunter2"), std::string::npos) << stored;
  EXPECT_EQ(stored.find("abcdefghijkl"), std::string::npos) << stored;
}

TEST(IngestTest, TheSameUploadHasTheSameKey) {
  const auto blocks_of = [](const std::string& body) {
    const HttpRequest request = Ingest("name=shop&from=1795000000", body);
    const Result<ReceivedProfiles> received = ParseIngest(request, kNow);
    std::string blocks;
    EXPECT_TRUE(received && AppendProfile(received->profiles[0], kNow, &blocks));
    return blocks;
  };
  EXPECT_EQ(blocks_of("a 1\n"), blocks_of("a 1\n"));
  EXPECT_NE(blocks_of("a 1\n"), blocks_of("a 2\n"));
}

std::string PushRequest(const std::string& raw_profile) {
  return Message([&](pbf_writer& request) {
    request.add_message(
        1, Message([&](pbf_writer& series) {
          for (const auto& [name, value] :
               {std::pair("service_name", "shop"), std::pair("__name__", "process_cpu"), std::pair("region", "eu")}) {
            series.add_message(1, Message([&](pbf_writer& label) {
                                 label.add_string(1, name);
                                 label.add_string(2, value);
                               }));
          }
          series.add_message(2, Message([&](pbf_writer& sample) { sample.add_bytes(1, raw_profile); }));
        }));
  });
}

TEST(PushTest, ReadsProtobufAndJson) {
  const std::string expected = "shop{region=eu} cpu: main;work 70000000 7\n";
  EXPECT_EQ(Stored(ParsePush(PushRequest(Gzip(Pprof())), /*is_json=*/false)), expected);
  const std::string json =
      R"({"series":[{"labels":[{"name":"service_name","value":"shop"},{"name":"region","value":"eu"}],"samples":[{"rawProfile":")" +
      Base64Encode(Pprof()) + R"("}]}]})";
  EXPECT_EQ(Stored(ParsePush(json, /*is_json=*/true)), expected);
}

TEST(PushTest, TruncatedAndCorruptRequestsAreRefusedOrRead) {
  const std::string whole = PushRequest(Pprof());
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(Stored(ParsePush(whole.substr(0, size), false)).find("process_cpu"), std::string::npos);
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string corrupt = whole;
    corrupt[at] = static_cast<char>(corrupt[at] ^ 0x55);
    (void)Stored(ParsePush(corrupt, false));
  }
  EXPECT_EQ(Stored(ParsePush(PushRequest("not a profile"), false)),
            "the profile has an unknown format; expected for instance pprof or JFR");
  EXPECT_NE(Stored(ParsePush("{", true)).find("expected a PushRequest in JSON"), std::string::npos);
  EXPECT_EQ(Stored(ParsePush("{}", true)), "nothing");
}

constexpr std::string_view kOtlp = R"({
  "resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},
                                                 {"key":"zone","value":{"stringValue":"b"}}]},
    "scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"timeUnixNano":"1795000000000000000",
      "samples":[{"stackIndex":1,"values":["30000000"]}]}]}]}],
  "dictionary":{"stringTable":["","cpu","nanoseconds","main","work"],
    "functionTable":[{},{"nameStrindex":3},{"nameStrindex":4}],
    "locationTable":[{},{"lines":[{"functionIndex":1}]},{"lines":[{"functionIndex":2}]}],
    "stackTable":[{},{"locationIndices":[2,1]}],"mappingTable":[{}]}})";

TEST(OtlpRequestTest, EachResourceIsAService) {
  EXPECT_EQ(Stored(ParseOtlpProfiles(kOtlp, /*is_json=*/true)), "shop{zone=b} cpu: main;work 30000000 1\n");
}

// A payload of a host profiler: one resource with a sample per process.
std::string HostPayload(const std::vector<std::string>& attributes_of_processes) {
  std::string resources;
  for (const std::string& attributes : attributes_of_processes) {
    resources += (resources.empty() ? "" : ",") + std::string(R"({"resource":{"attributes":[)") + attributes +
                 R"(]},"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},)"
                 R"("periodType":{"typeStrindex":5,"unitStrindex":6},"period":"50000000",)"
                 R"("samples":[{"stackIndex":1,"values":["2"]}]}]}]})";
  }
  std::string text(kOtlp);
  text = R"({"resourceProfiles":[)" + resources + "]," + text.substr(text.find("\"dictionary\""));
  return text.replace(text.find(R"(["","cpu","nanoseconds","main","work"])"), 38,
                      R"(["","samples","count","main","work","cpu","nanoseconds"])");
}

std::string Attribute(const std::string& key, const std::string& value) {
  return R"({"key":")" + key + R"(","value":{"stringValue":")" + value + "\"}}";
}

TEST(OtlpRequestTest, AContainerIsOneServiceWhateverItsProcesses) {
  std::vector<std::string> processes;
  for (int pid = 100; pid < 400; ++pid) {
    std::string attributes = R"({"key":"process.pid","value":{"intValue":")" + std::to_string(pid) + "\"}}," +
                             Attribute("process.executable.name", "program-" + std::to_string(pid));
    if (pid % 3 == 1) attributes += "," + Attribute("container.id", "0123456789abcdef");
    if (pid % 3 == 2)
      attributes += "," + Attribute("container.id", "fedc") + "," + Attribute("k8s.container.name", "shop");
    processes.push_back(attributes);
  }
  const Result<ReceivedProfiles> received = ParseOtlpProfiles(HostPayload(processes), /*is_json=*/true);
  ASSERT_TRUE(received) << received.error().message;
  std::vector<std::string> services;
  for (const ReceivedProfile& profile : received->profiles) services.push_back(profile.service);
  EXPECT_EQ(services, (std::vector<std::string>{"container-0123456789ab", "shop", "unknown_service"}));
  const std::string stored = Stored(received);
  EXPECT_EQ(stored.find("process."), std::string::npos) << stored;
  EXPECT_NE(stored.find("unknown_service cpu: main;work "), std::string::npos) << stored;
}

TEST(OtlpRequestTest, TruncatedAndCorruptRequestsAreRefusedOrRead) {
  const Result<ReceivedProfiles> received = ParseOtlpProfiles(kOtlp, true);
  ASSERT_TRUE(received);
  const std::string whole(received->profiles[0].content);
  EXPECT_EQ(Stored(ParseOtlpProfiles(whole, false)), Stored(received));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string corrupt = whole;
    corrupt[at] = static_cast<char>(corrupt[at] ^ 0x55);
    (void)Stored(ParseOtlpProfiles(corrupt, false));
    (void)Stored(ParseOtlpProfiles(std::string_view(whole).substr(0, at), false));
  }
  EXPECT_NE(Stored(ParseOtlpProfiles("[1", true)).find("expected OTLP profiles in JSON"), std::string::npos);
}

TEST(MultipartTest, RefusesFormsWithoutTheirEnd) {
  const std::string whole = "--b\r\nContent-Disposition: form-data; name=\"jfr\"\r\n\r\nFLR\r\n--b--\r\n";
  const Result<std::vector<FormPart>> parts = ParseMultipart("multipart/form-data; boundary=\"b\"", whole);
  ASSERT_TRUE(parts) << parts.error().message;
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ(parts->front().name, "jfr");
  EXPECT_EQ(parts->front().content, "FLR");
  for (size_t size = 0; size < whole.size() - 4; ++size) {
    EXPECT_FALSE(ParseMultipart("multipart/form-data; boundary=b", whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(ParseMultipart("multipart/form-data", whole));
}

}  // namespace
}  // namespace sparkprof
