// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/text/xml_tree.h"
#include "storage/storages.h"
#include "storage/testing/stub_server.h"

namespace sparkprof {
namespace {

// The examples of Amazon's documentation, "Signature Calculations for the Authorization Header".
TEST(S3StorageTest, SignsRequestsAsDocumented) {
  const S3Credentials credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  constexpr int64_t kTimeNs = 1'369'353'600'000'000'000;  // 2013-05-24T00:00:00Z
  const auto signature_of = [&](const std::string& target) {
    const Url url{"https", "examplebucket.s3.amazonaws.com", 443, target};
    const HttpHeaders headers = SignS3Request(url, credentials, "us-east-1", kTimeNs);
    const std::string_view header = FindHeader(headers, "authorization");
    return std::string(header.substr(header.rfind('=') + 1));
  };
  EXPECT_EQ(signature_of("/?lifecycle="), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signature_of("/?max-keys=2&prefix=J"), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

// The signature is botocore's for the same request.
TEST(S3StorageTest, SignsTheTokenOfASession) {
  const S3Credentials credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                  "AQoDYXdzEPT//////////wEXAMPLE"};
  const Url url{"https", "examplebucket.s3.amazonaws.com", 443, "/?list-type=2&prefix=a%2Fb"};
  const HttpHeaders headers = SignS3Request(url, credentials, "us-east-1", 1'369'353'600'000'000'000);
  EXPECT_EQ(FindHeader(headers, "x-amz-security-token"), credentials.session_token);
  EXPECT_TRUE(FindHeader(headers, "authorization")
                  .ends_with("Signature=a3dc91cf735195f30e0ef5209b1f4d1bb345a0ec919b062dc5b5744cda696ded"));
}

// A bucket on a stub; the environment names the endpoint and an access key.
class S3BucketTest : public testing::Test {
 protected:
  ~S3BucketTest() override {
    for (const char* const name : kVariables) unsetenv(name);
  }

  std::unique_ptr<Storage> Open(const StubServer& server) {
    setenv("AWS_ENDPOINT_URL", ("http://" + server.Authority() + "/").c_str(), 1);
    setenv("AWS_ACCESS_KEY_ID", "key", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    Result<std::unique_ptr<Storage>> storage = OpenStorage("s3a://bucket/logs/");
    EXPECT_TRUE(storage) << storage.error().message;
    return std::move(*storage);
  }

  static std::string Page(const std::string& objects, const std::string& next = "") {
    const std::string more =
        next.empty() ? "<IsTruncated>false</IsTruncated>"
                     : "<IsTruncated>true</IsTruncated><NextContinuationToken>" + next + "</NextContinuationToken>";
    return StubServer::Response(
        "200 OK", "<ListBucketResult><EncodingType>url</EncodingType>" + more + objects + "</ListBucketResult>");
  }

  static std::string Object(const std::string& key, const std::string& size) {
    return "<Contents><Key>" + key + "</Key><Size>" + size +
           "</Size><LastModified>2023-11-14T22:13:20.250Z</LastModified></Contents>";
  }

  static constexpr const char* kVariables[] = {"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                               "AWS_REGION", "AWS_REQUEST_PAYER"};
};

TEST_F(S3BucketTest, AConnectionThatEndsWithoutAnAnswerIsAnError) {
  StubServer server(std::vector<std::string>(6, std::string()));
  const std::unique_ptr<Storage> storage = Open(server);
  EXPECT_FALSE(storage->Create("s3a://bucket/logs/a", "content"));
  EXPECT_FALSE(storage->ReadIfExists("s3a://bucket/logs/a", 100));
  EXPECT_EQ(server.Requests().size(), 6U);
}

TEST_F(S3BucketTest, ObjectsBelowThePrefixAreListedPageByPage) {
  StubServer server({Page(Object("logs/b+c%2Bd", "5") + Object("logs/", "0") + Object("logs/folder/", "0"), "a/b="),
                     Page(Object("logs/a", "3") + Object("other/x", "1") + Object("logs/bad", "-1"))});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files, (std::vector<StoredFile>{{"s3a://bucket/logs/a", 3, 1'700'000'000'250'000'000},
                                                     {"s3a://bucket/logs/b c+d", 5, 1'700'000'000'250'000'000}}));
  const std::vector<std::string>& requests = server.Requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0], "GET /bucket/?encoding-type=url&list-type=2&prefix=logs%2F");
  EXPECT_EQ(requests[1], "GET /bucket/?continuation-token=a%2Fb%3D&encoding-type=url&list-type=2&prefix=logs%2F");
}

TEST_F(S3BucketTest, AListThatDoesNotEndIsAnError) {
  StubServer server({Page("", "again"), Page("", "again")});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().message, "s3a://bucket/logs: the list of objects does not end");
}

TEST_F(S3BucketTest, AnAnswerThatIsNoListIsAnError) {
  for (const char* const body : {"", "<html>", "<Other/>"}) {
    StubServer server({StubServer::Response("200 OK", body)});
    const Result<StorageListing> listing = Open(server)->List();
    ASSERT_FALSE(listing) << body;
    EXPECT_TRUE(listing.error().message.starts_with("s3a://bucket/logs: ")) << listing.error().message;
  }
}

TEST_F(S3BucketTest, APartOfAnObjectIsReadByRange) {
  StubServer server({StubServer::Response("206 Partial Content", "cont")});
  EXPECT_EQ(Open(server)->Read("s3a://bucket/logs/a b", 3, 4).value(), "cont");
  EXPECT_EQ(server.Requests(), std::vector<std::string>{"GET /bucket/logs/a%20b"});
}

TEST_F(S3BucketTest, AServerWithoutRangesIsReadAllTheSame) {
  StubServer server({StubServer::Response("200 OK", "0123456789"), StubServer::Response("200 OK", "0123")});
  const std::unique_ptr<Storage> storage = Open(server);
  EXPECT_EQ(storage->Read("s3a://bucket/logs/a", 3, 4).value(), "3456");
  EXPECT_EQ(storage->Read("s3a://bucket/logs/a", 9, 4).value(), "") << "behind the end";
}

TEST_F(S3BucketTest, AReadBehindTheEndIsEmpty) {
  StubServer server({StubServer::Response("416 Range Not Satisfiable", "")});
  EXPECT_EQ(Open(server)->Read("s3a://bucket/logs/a", 10, 4).value(), "");
}

TEST_F(S3BucketTest, ARefusalHasTheReasonOfTheServerAndTheRegionOfTheBucket) {
  StubServer server(
      {StubServer::Response("301 Moved Permanently",
                            "<Error><Code>PermanentRedirect</Code><Message>The bucket is elsewhere</Message></Error>",
                            "x-amz-bucket-region: eu-west-1\r\n")});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().message,
            "s3a://bucket/logs: status 301: PermanentRedirect: The bucket is elsewhere (the bucket is in another "
            "region: set AWS_REGION=eu-west-1)");
}

TEST_F(S3BucketTest, ABusyServerIsAskedAgain) {
  StubServer server({StubServer::Response("503 Slow Down", ""), Page(Object("logs/a", "3"))});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files.size(), 1u);
}

TEST_F(S3BucketTest, AStoreThatThrottlesIsAskedWhenItWantsTo) {
  const std::string busy = StubServer::Response("503 Slow Down", "", "retry-after: 0\r\n");
  StubServer server({busy, busy, busy, busy, busy, Page(Object("logs/a", "3"))});
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files.size(), 1u);
}

TEST_F(S3BucketTest, AStoreThatThrottlesForGoodIsAnError) {
  StubServer server(std::vector<std::string>(6, StubServer::Response("503 Slow Down", "", "retry-after: 0\r\n")));
  const Result<StorageListing> listing = Open(server)->List();
  ASSERT_FALSE(listing);
  EXPECT_EQ(server.Requests().size(), 6u);
}

TEST_F(S3BucketTest, TheRequesterPaysIfTheEnvironmentSaysSo) {
  setenv("AWS_REQUEST_PAYER", "requester", 1);
  StubServer server({Page(Object("logs/a", "3"))});
  ASSERT_TRUE(Open(server)->List());
  const std::string headers = server.Headers().at(0);
  EXPECT_NE(headers.find("x-amz-request-payer: requester\r\n"), std::string::npos) << headers;
  EXPECT_NE(headers.find("signedheaders=host;x-amz-content-sha256;x-amz-date;x-amz-request-payer"), std::string::npos);
}

TEST_F(S3BucketTest, AMachineWithAWrongClockSignsWithTheServersTime) {
  StubServer server({StubServer::Response("403 Forbidden", "<Error><Code>RequestTimeTooSkewed</Code></Error>",
                                          "date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"),
                     Page(Object("logs/a", "3"))});
  ASSERT_TRUE(Open(server)->List());
  EXPECT_EQ(server.Headers().at(0).find("x-amz-date: 20231114"), std::string::npos);
  EXPECT_NE(server.Headers().at(1).find("x-amz-date: 20231114t2213"), std::string::npos) << server.Headers().at(1);
}

TEST_F(S3BucketTest, ALocationWithoutABucketAndHalfAKeyAreRefused) {
  EXPECT_EQ(OpenStorage("s3a:///logs").error().message, "s3a:///logs: expected s3a://BUCKET/PREFIX");
  setenv("AWS_ACCESS_KEY_ID", "key", 1);
  EXPECT_EQ(OpenStorage("s3a://bucket/logs").error().message,
            "s3a://bucket/logs: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY require each other");
}

TEST_F(S3BucketTest, AStoredFileIsReadAsAStream) {
  std::string content(100'000, 'x');
  content += "end";
  StubServer server({StubServer::Response("206 Partial Content", content.substr(0, 65'536)),
                     StubServer::Response("206 Partial Content", content.substr(65'536))});
  const std::unique_ptr<Storage> storage = Open(server);
  const std::unique_ptr<ByteSource> source =
      OpenStored(storage.get(), {"s3a://bucket/logs/a", static_cast<int64_t>(content.size()), 0});
  std::string read;
  std::vector<char> piece(30'000);
  for (Result<size_t> got = source->Read(piece.data(), piece.size()); got && *got > 0;
       got = source->Read(piece.data(), piece.size())) {
    read.append(piece.data(), *got);
  }
  EXPECT_EQ(read, content);
  EXPECT_NE(server.Headers().at(1).find("range: bytes=65536-100002"), std::string::npos) << server.Headers().at(1);
}

TEST(XmlTreeTest, ReadsAListOfObjects) {
  const Result<XmlElement> page = ParseXml(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
      "xmlns=\"http://s3\">\n<IsTruncated>true</IsTruncated>"
      "<Empty/><!-- none --><Contents><Key>a&amp;b&#x20AC;</Key><Size> 12 </Size></Contents></ListBucketResult>\n");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->name, "ListBucketResult");
  EXPECT_EQ(page->Text("IsTruncated"), "true");
  ASSERT_EQ(page->children.size(), 3U);
  EXPECT_EQ(page->children[2].Text("Key"), "a&b\u20AC");
  EXPECT_EQ(page->children[2].Text("Size"), "12");
}

TEST(XmlTreeTest, RefusesEveryBeginningOfADocument) {
  const std::string whole = "<?xml version=\"1.0\"?><a><b x=\"y\">&lt;</b><c/></a>";
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(ParseXml(whole.substr(0, size))) << size;
  EXPECT_TRUE(ParseXml(whole));
}

TEST(XmlTreeTest, RefusesWhatS3DoesNotSend) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "<a>";
  for (const std::string& text : {std::string("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"), std::string("<a>&x;</a>"),
                                  std::string("<a><![CDATA[x]]></a>"), std::string("<a></b>"), std::string("<a/><b/>"),
                                  std::string("<a>&#0;</a>"), std::string("<a>&#1114112;</a>"), deep}) {
    EXPECT_FALSE(ParseXml(text)) << text.substr(0, 60);
  }
}

TEST_F(S3BucketTest, AnObjectIsCreatedOnlyIfThereIsNone) {
  const std::string exists = StubServer::Response("412 Precondition Failed", "");
  StubServer server({StubServer::Response("200 OK", ""), exists, StubServer::Response("206 Partial Content", "other"),
                     exists, StubServer::Response("206 Partial Content", "mine"),
                     StubServer::Response("204 No Content", ""),
                     StubServer::Response("404 Not Found", "<Error><Code>NoSuchKey</Code></Error>"),
                     StubServer::Response("404 Not Found", "<Error><Code>NoSuchBucket</Code></Error>")});
  const auto storage = Open(server);
  const std::string name = "s3a://bucket/logs/a b";
  EXPECT_TRUE(*storage->Create(name, "mine"));
  EXPECT_FALSE(*storage->Create(name, "mine"));
  EXPECT_TRUE(*storage->Create(name, "mine")) << "the answer to an earlier request was lost";
  EXPECT_TRUE(storage->Remove(name));
  EXPECT_EQ(*storage->ReadIfExists(name, 100), std::nullopt);
  EXPECT_FALSE(storage->ReadIfExists(name, 100)) << "no bucket";
  EXPECT_EQ(server.Requests().front(), "PUT /bucket/logs/a%20b");
  EXPECT_NE(server.Headers().front().find("if-none-match: *"), std::string::npos);
  EXPECT_EQ(server.Requests()[5], "DELETE /bucket/logs/a%20b");
}

}  // namespace
}  // namespace sparkprof
