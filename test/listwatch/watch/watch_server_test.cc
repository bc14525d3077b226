#include "src/listwatch/watch/watch_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/listwatch/watch/status_text.h"
#include "test/support/await.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using kinformer::testing_support::Await;

/// What a client receives. While `holds` is set, the client reads nothing.
struct Wire {
  std::mutex mutex;
  std::vector<std::string> messages;
  std::vector<const void*> texts;  ///< Address of each message's second part.
  std::size_t queued = 0;
  bool holds = false;
  bool closed = false;
  std::string end;
  std::function<void()> on_closed;
  std::function<void()> on_drained;

  std::vector<std::string> Messages() {
    const std::lock_guard lock(mutex);
    return messages;
  }
  std::string End() {
    const std::lock_guard lock(mutex);
    return end;
  }
  void Drain() {
    std::function<void()> callback;
    {
      const std::lock_guard lock(mutex);
      queued = 0;
      callback = std::exchange(on_drained, nullptr);
    }
    if (callback) callback();
  }
  void GoAway() {
    std::function<void()> callback;
    {
      const std::lock_guard lock(mutex);
      closed = true;
      callback = std::exchange(on_closed, nullptr);
    }
    if (callback) callback();
  }
};

class NoRaw final : public RawConnection {
 public:
  void WriteRaw(Buffer) override {}
  void ByteByByte(bool) override {}
  void CloseCleanly() override {}
  void Reset() override {}
  void Stall() override {}
  void Abort() override {}
};

template <typename Kind>
class FakeOutput : public Kind {
 public:
  explicit FakeOutput(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}

  using OutputStream::Write;
  bool Write(std::span<const Buffer> message) override {
    const std::lock_guard lock(wire_->mutex);
    if (wire_->closed || !wire_->end.empty()) return false;
    std::string text;
    for (const Buffer& part : message) text += part.bytes;
    if (wire_->holds) wire_->queued += text.size();
    wire_->messages.push_back(std::move(text));
    wire_->texts.push_back(message.size() > 1 ? message[1].bytes.data() : nullptr);
    return true;
  }
  std::size_t QueuedBytes() const override {
    const std::lock_guard lock(wire_->mutex);
    return wire_->queued;
  }
  void NotifyWhenDrained(std::function<void()> callback) override {
    {
      const std::lock_guard lock(wire_->mutex);
      if (wire_->queued > 0 && !wire_->closed) {
        wire_->on_drained = std::move(callback);
        return;
      }
    }
    callback();
  }
  void OnClosed(std::function<void()> callback) override {
    const std::lock_guard lock(wire_->mutex);
    wire_->on_closed = std::move(callback);
  }
  bool IsClosed() const override {
    const std::lock_guard lock(wire_->mutex);
    return wire_->closed || !wire_->end.empty();
  }
  RawConnection& Raw() override { return raw_; }

 protected:
  void Finish(const std::string& how) {
    std::function<void()> forgotten;
    const std::lock_guard lock(wire_->mutex);
    if (!wire_->end.empty()) return;
    wire_->end = how;
    forgotten.swap(wire_->on_closed);
  }

 private:
  const std::shared_ptr<Wire> wire_;
  NoRaw raw_;
};

class FakeHttp final : public FakeOutput<HttpStream> {
 public:
  using FakeOutput::FakeOutput;
  ~FakeHttp() override { Finish("cut"); }
  void End() override { Finish("end"); }
};

class FakeSocket final : public FakeOutput<WebSocketStream> {
 public:
  using FakeOutput::FakeOutput;
  ~FakeSocket() override { Finish("cut"); }
  void Close(std::uint16_t code, std::string_view /*reason*/) override { Finish("close " + std::to_string(code)); }
};

/// An event source that the test feeds.
struct Source {
  std::mutex mutex;
  std::deque<Result<std::optional<WatchPart>>> parts;
  std::function<void()> ready;
  int pulls = 0;
  bool destroyed = false;
  /// Pulls beyond this number throw.
  int throws_after = 1'000'000;
  bool notify_throws = false;

  void Put(Result<std::optional<WatchPart>> part) {
    std::function<void()> callback;
    {
      const std::lock_guard lock(mutex);
      parts.push_back(std::move(part));
      callback = std::exchange(ready, nullptr);
    }
    if (callback) callback();
  }
  void Put(std::vector<WatchEvent> events) { Put(std::optional<WatchPart>(std::move(events))); }
  void End() { Put(std::optional<WatchPart>(WatchEnd{})); }
  bool Destroyed() {
    const std::lock_guard lock(mutex);
    return destroyed;
  }
  int Pulls() {
    const std::lock_guard lock(mutex);
    return pulls;
  }
};

class SourceStream final : public WatchEventStream {
 public:
  explicit SourceStream(std::shared_ptr<Source> source) : source_(std::move(source)) {}
  ~SourceStream() override {
    const std::lock_guard lock(source_->mutex);
    source_->destroyed = true;
  }
  Result<std::optional<WatchPart>> TryNext() override {
    const std::lock_guard lock(source_->mutex);
    if (++source_->pulls > source_->throws_after) throw std::runtime_error("a stream that throws");
    if (source_->parts.empty()) return std::optional<WatchPart>();
    auto part = std::move(source_->parts.front());
    source_->parts.pop_front();
    return part;
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    {
      const std::lock_guard lock(source_->mutex);
      if (source_->notify_throws) throw std::runtime_error("a stream that throws");
      if (source_->parts.empty() || !ready) {
        source_->ready = std::move(ready);
        return;
      }
    }
    ready();
  }

 private:
  const std::shared_ptr<Source> source_;
};

ObjectPtr Named(const std::string& name, std::size_t size = 0) {
  return Object::Parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name + R"("},"data":")" +
                       std::string(size, 'x') + "\"}")
      .value();
}

WatchEvent Event(WatchEventType type, const ObjectPtr& object) { return {.type = type, .object = object, .error = {}}; }

Error Expired() { return {.code = ErrorCode::kServer, .message = "too old", .http_status = 410, .reason = "Expired"}; }

class WatchServerTest : public ::testing::Test {
 protected:
  void SetUp() override { pool_.Start(); }
  void ServeHttp(ServeOptions options = {}) {
    server_.Serve(std::make_unique<SourceStream>(source_), std::make_shared<FakeHttp>(wire_), std::move(options));
  }

  TaskPool pool_;
  WatchServer server_{pool_};
  const std::shared_ptr<Source> source_ = std::make_shared<Source>();
  const std::shared_ptr<Wire> wire_ = std::make_shared<Wire>();
};

TEST_F(WatchServerTest, EventsThatAreThereTogetherGoOutTogetherAsLines) {
  const ObjectPtr a = Named("a");
  source_->Put(std::vector<WatchEvent>{});
  source_->Put({Event(WatchEventType::kAdded, a), Event(WatchEventType::kModified, a),
                Event(WatchEventType::kDeleted, a), Event(WatchEventType::kBookmark, a)});
  source_->End();
  ServeHttp();
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  const std::string text(a->Json());
  EXPECT_THAT(wire_->Messages(),
              ElementsAre("{\"type\":\"ADDED\",\"object\":" + text + "}\n{\"type\":\"MODIFIED\",\"object\":" + text +
                          "}\n{\"type\":\"DELETED\",\"object\":" + text +
                          "}\n{\"type\":\"BOOKMARK\",\"object\":" + text + "}\n"));
  EXPECT_EQ(wire_->End(), "end");
  EXPECT_TRUE(source_->Destroyed());
  // The object's own bytes are sent, not a copy.
  EXPECT_EQ(wire_->texts.front(), a->Json().data());
}

TEST_F(WatchServerTest, AWebSocketGetsOneFrameForEachEventAndAGoodClose) {
  const ObjectPtr a = Named("a");
  source_->Put({Event(WatchEventType::kAdded, a), Event(WatchEventType::kModified, a)});
  source_->End();
  server_.Serve(std::make_unique<SourceStream>(source_), std::make_shared<FakeSocket>(wire_));
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  const std::string text(a->Json());
  EXPECT_THAT(wire_->Messages(), ElementsAre("{\"type\":\"ADDED\",\"object\":" + text + "}",
                                             "{\"type\":\"MODIFIED\",\"object\":" + text + "}"));
  EXPECT_EQ(wire_->End(), "close 1000");
}

TEST_F(WatchServerTest, AnErrorEventIsAStatusAndTheLast) {
  source_->Put({Event(WatchEventType::kAdded, Named("a")),
                WatchEvent{.type = WatchEventType::kError, .object = {}, .error = Expired()},
                Event(WatchEventType::kAdded, Named("never"))});
  ServeHttp();
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  ASSERT_EQ(wire_->Messages().size(), 1U);
  const std::string sent = wire_->Messages().front();
  EXPECT_TRUE(
      sent.ends_with(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                     R"("message":"too old","reason":"Expired","code":410}})"
                     "\n"))
      << sent;
  EXPECT_EQ(wire_->End(), "end");
}

TEST_F(WatchServerTest, AStreamThatFailsEndsTheWatchInGoodOrder) {
  source_->Put(Error{.code = ErrorCode::kDisconnected, .message = "the backend is away"});
  ServeHttp();
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_TRUE(wire_->Messages().empty());
  EXPECT_EQ(wire_->End(), "end");
}

TEST_F(WatchServerTest, AClientThatIsBehindIsWaitedFor) {
  wire_->holds = true;
  for (int i = 0; i < 5; ++i) source_->Put({Event(WatchEventType::kAdded, Named("a", 100 * 1024))});
  source_->End();
  ServeHttp();
  ASSERT_TRUE(Await([&] {
    const std::lock_guard lock(wire_->mutex);
    return wire_->on_drained != nullptr;
  }));
  // After the third, more than 256 KB are queued; the rest has not been pulled.
  EXPECT_EQ(wire_->Messages().size(), 3U);
  EXPECT_EQ(source_->Pulls(), 3);
  wire_->Drain();
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_EQ(wire_->Messages().size(), 5U);
  EXPECT_EQ(wire_->End(), "end");
}

TEST_F(WatchServerTest, AWatchIsDestroyedWithItsClient) {
  ServeHttp();
  ASSERT_TRUE(Await([&] {
    const std::lock_guard lock(source_->mutex);
    return source_->ready != nullptr;
  }));
  EXPECT_EQ(server_.Count(), 1U);
  wire_->GoAway();
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_TRUE(source_->Destroyed());
}

TEST_F(WatchServerTest, StopEndsAllAndTakesNoMore) {
  ServeHttp();
  server_.Stop();
  EXPECT_EQ(server_.Count(), 0U);
  EXPECT_TRUE(source_->Destroyed());
  EXPECT_EQ(wire_->End(), "end");
  const auto late = std::make_shared<Source>();
  const auto late_wire = std::make_shared<Wire>();
  server_.Serve(std::make_unique<SourceStream>(late), std::make_shared<FakeHttp>(late_wire));
  EXPECT_TRUE(late->Destroyed());
  EXPECT_EQ(late_wire->End(), "cut");
}

TEST_F(WatchServerTest, MetadataAloneIsSentToWhoWantsNoMore) {
  source_->Put({Event(WatchEventType::kAdded, Named("a", 100))});
  source_->End();
  ServeHttp({.form = ObjectForm::kMetadata});
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_THAT(wire_->Messages(),
              ElementsAre(R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                          R"("metadata":{"name":"a"}}})"
                          "\n"));
}

/// Writes a running count in place of each object.
class Counter final : public EventObjectWriter {
 public:
  void Append(const WatchEvent& /*event*/, std::vector<Buffer>& parts) override {
    parts.emplace_back(std::to_string(++count_));
  }

 private:
  int count_ = 0;
};

TEST_F(WatchServerTest, AWriterWritesEverythingButErrors) {
  source_->Put({Event(WatchEventType::kAdded, Named("a", 100)), Event(WatchEventType::kBookmark, Named("b", 100)),
                WatchEvent{.type = WatchEventType::kError,
                           .object = {},
                           .error = {.code = ErrorCode::kServer, .message = "gone", .http_status = 410}}});
  ServeHttp({.writer = std::make_unique<Counter>()});
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  std::string all;
  for (const std::string& message : wire_->Messages()) all += message;
  EXPECT_THAT(all, ::testing::StartsWith("{\"type\":\"ADDED\",\"object\":1}\n{\"type\":\"BOOKMARK\",\"object\":2}\n"
                                         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\""));
}

/// Drops the first event, sends the second twice, and ends with the third.
class Mischief final : public WatchInterceptor {
 public:
  Next OnBegin(OutputStream& out) override {
    out.Write(Buffer::Static("begin\n"));
    return Next::kGoOn;
  }
  Next OnEvent(const WatchEvent& /*event*/, std::span<const Buffer> line, OutputStream& out) override {
    ++count_;
    if (count_ == 2) {
      out.Write(line);
      out.Write(line);
    }
    return count_ == 3 ? Next::kEnd : Next::kGoOn;
  }

 private:
  int count_ = 0;
};

TEST_F(WatchServerTest, AnInterceptorHasItsWay) {
  source_->Put({Event(WatchEventType::kAdded, Named("a")), Event(WatchEventType::kAdded, Named("b")),
                Event(WatchEventType::kAdded, Named("c"))});
  ServeHttp({.interceptor = std::make_unique<Mischief>()});
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_THAT(wire_->Messages(), ElementsAre("begin\n", HasSubstr("\"b\""), HasSubstr("\"b\"")));
  EXPECT_EQ(wire_->End(), "end");
}

TEST_F(WatchServerTest, AStreamThatThrowsIsCutOffAndCountedNoLonger) {
  source_->Put({Event(WatchEventType::kAdded, Named("a"))});
  source_->throws_after = 1;
  ServeHttp();
  EXPECT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_EQ(wire_->Messages().size(), 1U);
  EXPECT_EQ(wire_->End(), "cut") << "its client must not take it for the end";
  EXPECT_TRUE(source_->Destroyed());
  server_.Stop();
}

TEST_F(WatchServerTest, AStreamThatCannotBeWaitedForIsCutOffAndCountedNoLonger) {
  source_->notify_throws = true;
  ServeHttp();
  EXPECT_TRUE(Await([&] { return server_.Count() == 0; }));
  EXPECT_EQ(wire_->End(), "cut");
  EXPECT_TRUE(source_->Destroyed());
  server_.Stop();
}

TEST_F(WatchServerTest, AWriterThatThrowsEndsItsWatchAlone) {
  class ThrowingWriter final : public EventObjectWriter {
   public:
    void Append(const WatchEvent&, std::vector<Buffer>&) override { throw std::runtime_error("a writer that throws"); }
  };
  const auto other = std::make_shared<Wire>();
  const auto events = std::make_shared<Source>();
  server_.Serve(std::make_unique<SourceStream>(events), std::make_shared<FakeHttp>(other));
  source_->Put({Event(WatchEventType::kAdded, Named("a"))});
  bool ended = false;
  ServeHttp({.writer = std::make_unique<ThrowingWriter>(),
             .until_end = std::shared_ptr<void>(nullptr, [&](void*) { ended = true; })});
  EXPECT_TRUE(Await([&] { return server_.Count() == 1; }));
  EXPECT_TRUE(ended);
  EXPECT_EQ(wire_->End(), "cut");
  events->Put({Event(WatchEventType::kAdded, Named("b"))});
  EXPECT_TRUE(Await([&] { return other->Messages().size() == 1; }));
  server_.Stop();
  EXPECT_EQ(other->End(), "end");
}

/// Throws at one chosen point.
class ThrowingInterceptor final : public WatchInterceptor {
 public:
  enum class Place { kAttach, kBegin, kTurn, kEvent };
  explicit ThrowingInterceptor(Place place) : place_(place) {}

  void Attach(std::function<void()> /*wake*/) override { MaybeThrow(Place::kAttach); }
  Next OnBegin(OutputStream&) override { return MaybeThrow(Place::kBegin); }
  Next OnTurn(OutputStream&) override { return MaybeThrow(Place::kTurn); }
  Next OnEvent(const WatchEvent&, std::span<const Buffer>, OutputStream&) override { return MaybeThrow(Place::kEvent); }

 private:
  Next MaybeThrow(Place place) const {
    if (place == place_) throw std::runtime_error("an interceptor that throws");
    return Next::kGoOn;
  }
  const Place place_;
};

TEST_F(WatchServerTest, AnInterceptorThatThrowsEndsItsWatch) {
  using Place = ThrowingInterceptor::Place;
  for (const Place place : {Place::kBegin, Place::kTurn, Place::kEvent}) {
    const auto wire = std::make_shared<Wire>();
    const auto events = std::make_shared<Source>();
    events->Put({Event(WatchEventType::kAdded, Named("a"))});
    server_.Serve(std::make_unique<SourceStream>(events), std::make_shared<FakeHttp>(wire),
                  {.interceptor = std::make_unique<ThrowingInterceptor>(place)});
    EXPECT_TRUE(Await([&] { return server_.Count() == 0; })) << static_cast<int>(place);
    EXPECT_EQ(wire->End(), "cut") << static_cast<int>(place);
    EXPECT_TRUE(events->Destroyed()) << static_cast<int>(place);
  }
  EXPECT_THROW(ServeHttp({.interceptor = std::make_unique<ThrowingInterceptor>(Place::kAttach)}), std::runtime_error);
  EXPECT_EQ(server_.Count(), 0U);
  EXPECT_EQ(wire_->End(), "cut");
  server_.Stop();
}

TEST_F(WatchServerTest, NothingIsLostBetweenManyWatchesAndWriters) {
  constexpr int kWatches = 20;
  constexpr int kEvents = 200;
  std::vector<std::pair<std::shared_ptr<Source>, std::shared_ptr<Wire>>> watches;
  for (int i = 0; i < kWatches; ++i) {
    watches.emplace_back(std::make_shared<Source>(), std::make_shared<Wire>());
    server_.Serve(std::make_unique<SourceStream>(watches.back().first),
                  std::make_shared<FakeHttp>(watches.back().second));
  }
  const ObjectPtr object = Named("a");
  std::jthread writer([&] {
    for (int e = 0; e < kEvents; ++e) {
      for (const auto& [source, wire] : watches) source->Put({Event(WatchEventType::kModified, object)});
    }
    for (const auto& [source, wire] : watches) source->End();
  });
  ASSERT_TRUE(Await([&] { return server_.Count() == 0; }));
  for (const auto& [source, wire] : watches) EXPECT_EQ(wire->Messages().size(), static_cast<std::size_t>(kEvents));
}

TEST(StatusTextTest, AStatusSaysAllThatTheErrorDoes) {
  Error error = Expired();
  error.details = {.name = "a\"b", .group = "apps", .kind = "deployments", .uid = "u", .causes = {{"R", "m", "f"}}};
  error.retry_after = std::chrono::seconds(2);
  EXPECT_EQ(StatusText(error, "token"),
            R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"token"},"status":"Failure",)"
            R"("message":"too old","reason":"Expired","details":{"name":"a\"b","group":"apps","kind":"deployments",)"
            R"("uid":"u","causes":[{"reason":"R","message":"m","field":"f"}],"retryAfterSeconds":2},"code":410})");
  EXPECT_EQ(HttpStatusOf({.code = ErrorCode::kInternal, .message = "x"}), 500);
  EXPECT_EQ(HttpStatusOf({.code = ErrorCode::kMalformed, .message = "x"}), 400);
}

}  // namespace
}  // namespace kinformer::apiserver
