// Answers that fail for lack of memory: the connection is closed, not left open without an answer. This file replaces
// the program's operator new.

#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/http/raw_client.h"
#include "test/http/running_server.h"

namespace kinformer::apiserver {
namespace {

thread_local bool out_of_memory = false;

/// All allocations of this thread fail while it exists.
class OutOfMemory {
 public:
  OutOfMemory() { out_of_memory = true; }
  ~OutOfMemory() { out_of_memory = false; }
  OutOfMemory(const OutOfMemory&) = delete;
  OutOfMemory& operator=(const OutOfMemory&) = delete;
};

}  // namespace
}  // namespace kinformer::apiserver

void* operator new(std::size_t size) {
  void* const memory = kinformer::apiserver::out_of_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return kinformer::apiserver::out_of_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace kinformer::apiserver {
namespace {

/// Sends a request and returns how its connection ends.
RawClient::End EndAfter(const std::function<void(std::shared_ptr<HttpExchange>)>& answer) {
  Awaited<std::shared_ptr<HttpExchange>> received;
  const RunningServer server([&](std::shared_ptr<HttpExchange> exchange) { received.Set(std::move(exchange)); });
  RawClient client(server.port());
  client.Send(Get("/"));
  answer(received.Get());
  EXPECT_EQ(client.ReadAll(), "");
  return client.end();
}

TEST(OutOfMemoryTest, AnExchangeThatCannotBeAnsweredClosesItsConnection) {
  EXPECT_EQ(EndAfter([](std::shared_ptr<HttpExchange> exchange) {
              const OutOfMemory no_memory;
              exchange.reset();
            }),
            RawClient::End::kReset);
}

TEST(OutOfMemoryTest, AnAnswerThatThrowsClosesItsConnection) {
  EXPECT_EQ(EndAfter([](const std::shared_ptr<HttpExchange>& exchange) {
              std::vector<Buffer> body;
              body.emplace_back(std::string(1000, 'x'));
              const OutOfMemory no_memory;
              EXPECT_THROW(exchange->Respond(200, {}, std::move(body)), std::bad_alloc);
            }),
            RawClient::End::kReset);
}

TEST(OutOfMemoryTest, AStreamThatCannotBeginClosesItsConnection) {
  EXPECT_EQ(EndAfter([](const std::shared_ptr<HttpExchange>& exchange) {
              const OutOfMemory no_memory;
              EXPECT_THROW((void)exchange->BeginStream(200, {}), std::bad_alloc);
            }),
            RawClient::End::kReset);
}

}  // namespace
}  // namespace kinformer::apiserver
