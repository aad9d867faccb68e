// The web service of service.ts as a module of NestJS, with a worker in the same process: node nest.js PORT. It needs
// `npm install @nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs`.
import "reflect-metadata";
import type { AddressInfo, Server } from "node:net";
import { BluequeError, Client, type Task, Worker } from "@blueque/client";
import {
  type ArgumentsHost, Body, Catch, Controller, Delete, type DynamicModule, type ExceptionFilter, Get, Headers, HttpCode,
  Inject, Injectable, type MessageEvent, Module, type OnApplicationBootstrap, type OnApplicationShutdown, Param, Post, Sse,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { Response } from "express";
import { type Observable, from } from "rxjs";
import { type Shown, changes, shown, statusOf } from "./view.js";

/** The client, for every module: `BluequeModule.forRoot()`, then `constructor(private readonly client: Client)`. */
@Module({})
class BluequeModule implements OnApplicationShutdown {
  constructor(@Inject(Client) private readonly client: Client) {}

  static forRoot(url?: string): DynamicModule {
    const provider = { provide: Client, useFactory: (): Client => new Client(url) };
    return { module: BluequeModule, global: true, providers: [provider], exports: [Client] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

/** A worker whose handlers are methods, with all that the module injects. It ends before the client is closed. */
@Injectable()
class Films implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly worker: Worker;

  constructor(@Inject(Client) client: Client) {
    this.worker = new Worker(client, "transcode", (path: string) => this.transcode(path), { signals: false });
  }

  transcode(path: string): string {
    return `${path}.mp4`;
  }

  onApplicationBootstrap(): void {
    if (process.env["WORKS"] !== "no") void this.worker.run();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker[Symbol.asyncDispose]();
  }
}

/** Each change as an event. */
async function* events(task: Task, first: Shown): AsyncGenerator<MessageEvent, void> {
  for await (const data of changes(task, first)) yield { data };
}

@Controller("tasks")
class Tasks {
  constructor(@Inject(Client) private readonly client: Client) {}

  @Post()
  @HttpCode(202)
  async submit(@Body() body: unknown, @Headers("idempotency-key") id?: string): Promise<{ id: string }> {
    const { id: made } = await this.client.queue("transcode").submit(body, { id });
    return { id: made };
  }

  @Get(":id")
  show(@Param("id") id: string): Promise<Shown> {
    return shown(this.client.task(id));
  }

  @Delete(":id")
  @HttpCode(202)
  async cancel(@Param("id") id: string): Promise<void> {
    await this.client.task(id).cancel("asked for by the service's client");
  }

  @Sse(":id/events")
  async follow(@Param("id") id: string): Promise<Observable<MessageEvent>> {
    const task = this.client.task(id);
    return from(events(task, await shown(task))); // an unknown task is 404
  }
}

@Catch(BluequeError)
class Refusals implements ExceptionFilter<BluequeError> {
  catch(error: BluequeError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    response.status(statusOf(error) ?? 500).json({ error: error.message });
  }
}

@Module({ imports: [BluequeModule.forRoot()], controllers: [Tasks], providers: [Films] })
class Service {}

// eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- NestJS declares its options as a class
const app = await NestFactory.create(Service, { logger: ["error", "warn"], bodyParser: false, forceCloseConnections: true });
(app as unknown as { useBodyParser: (kind: "json", options: object) => void }).useBodyParser("json", { strict: false, type: () => true });
app.useGlobalFilters(new Refusals());
app.enableShutdownHooks(["SIGTERM"], { useProcessExit: true });
await app.listen(Number(process.argv[2] ?? 3000), "127.0.0.1");
console.log(`http://127.0.0.1:${((app.getHttpServer() as Server).address() as AddressInfo).port}`);
