# Страницы для людей.

page-skip = К содержанию
page-navigation = Разделы
page-path = Путь к этой странице
page-language = Язык
page-language-name = Русский
page-sign-in = Войти
page-sign-out = Выйти
page-stopped = Страницу нельзя показать
page-missing = Такой страницы нет, или она вам недоступна.
page-on = Дальше

page-start = Племенная книга Ассоциации: животные с родословными, событиями и оценками, и обмен этими данными с другими системами.
page-start-look = Посмотреть
page-book = Книга
page-book-note = всё, что вам доступно
page-api = API
page-api-note = описание REST и обмена
page-graphql = GraphQL
page-graphql-note = страница для проверки запросов
page-exchange = Наборы данных обмена
page-exchange-note = по стандарту ICAR ADE
page-home = Главная
page-waiting = Что ждёт вас
page-nothing-waits = Ничего не ждёт.
page-news = Что пришло за последние 30 дней
page-work-now = сейчас
page-work-ahead = через { $days } дней
page-work-pdf = для печати
page-work-calendar = календарь
page-work-settings = Это число задают в карточке стада.
page-work-folded = Ещё { $count }
page-findings-fix = Исправить
page-findings-notes = Замечания
page-findings-count = Сколько
page-findings-deed = Что сделать
page-findings-correct = Исправить все
page-findings-look = Посмотреть все
page-correct = исправить
    .done = Значения сохранены
page-correct-none = Здесь больше нечего исправлять.
page-correct-empty = Ни одно значение не изменено.
page-correct-twice = Выше для этого же поля введено другое значение.
page-correct-closed = Это значение здесь изменить нельзя.
page-correct-request = Запросить исправление
page-findings-farms = Качество данных по хозяйствам
page-queue-choose = Выбор
page-queue-take = Взять выбранное себе
    .done = Выбранное взято
page-queue-mine = мои
page-queue-nobody = без ответственного
page-queue-movements-objected = Продажи, против которых возразил покупатель: животное снова ваше
page-queue-data-submissions-uploaded = Пакеты, которые Ассоциация вернула
page-since = Ждёт
page-find-animal = Номер или кличка животного
page-find = Найти

page-in-force = Действует
page-in-force-rows = Что задала Ассоциация
page-built-in = Исходно
page-allowed = Допустимо
page-unit = Единица
page-unit-days = дней
page-unit-months = мес.
page-unit-years = лет
page-unit-generations = поколений
page-unit-calves = телят
page-unit-kg = кг
page-unit-mS-cm = мСм/см
page-unit-fat-to-protein = отношение
page-unit-1000-ml = тыс./мл
page-unit-mg-100-ml = мг/100 мл
page-unit-times = раз
page-unit-s = с
page-unit-min = мин
page-unit-g-day = г/сут
page-unit-points = баллов
page-unit-deviations = СКО
page-unit-animals = голов
page-switched-off = выключено
page-grade-both = Заметить; за вторым порогом — исправить
page-subject-passport = Паспорт животного
page-subject-pedigree = Происхождение
page-subject-reproduction = Воспроизводство
page-subject-production = Продуктивность
page-subject-evaluation = Оценка
page-subject-lifecycle = От рождения до выбытия
page-subject-herd = Стада и пакеты
page-book-seldom = Журналы, справочники, служебное
page-section-herd = Стадо
page-section-events = События
page-section-evaluation = Оценка
page-section-verification = Проверка
page-section-documents = Документы
page-section-people = Люди и организации
page-section-access = Доступ
page-section-logs = Журналы
page-section-dictionaries = Справочники
page-section-platform = Служебное
page-section-exchange = Обмен

page-email = Электронная почта
page-password = Пароль
page-new-password = Новый пароль
page-code = Код второго фактора
page-first-name = Имя
page-last-name = Фамилия
page-send = Отправить
page-account-closed = Эта учётная запись закрыта: войти с ней нельзя. Обратитесь к руководителю своей организации или в Ассоциацию.
page-second-factor = У этой учётной записи есть второй фактор. Введите пароль ещё раз и код из приложения или код восстановления.
page-retry = Войдите ещё раз
page-retry-note = Вы больше не вошли в систему. Всё, что вы ввели, сохранилось здесь: войдите в новой вкладке, вернитесь на эту и отправьте форму. Файл после этого нужно выбрать снова.
page-retry-sign-in = Войти в новой вкладке
page-retry-send = Отправить
page-account = Моя учётная запись
page-account-record = Имя, адрес, язык и письма
page-passkeys = Ключи доступа
page-passkeys-note = По ключу доступа вы входите отпечатком пальца, лицом или кодом устройства — без адреса, пароля и кода.
page-passkeys-none = У вас их нет.
page-passkey-sign-in = Войти по ключу доступа
page-passkey-created = Добавлен
page-passkey-used = Последний вход:
page-never = никогда
page-passkey-change = Переименовать или удалить
page-passkey-name = Название ключа
page-passkey-rename = Переименовать
    .done = Ключ доступа переименован
page-passkey-remove = Удалить
    .done = Ключ доступа удалён
page-passkey-add = Добавить ключ доступа
page-passkey-failed = Устройство не предъявило ключ доступа. Попробуйте ещё раз или войдите по паролю.
page-passkey-script = Чтобы добавить ключ доступа, разрешите браузеру выполнить сценарий этой страницы.
page-forgotten = Забыли пароль?
page-forgotten-note = Вы получите письмо со ссылкой, по которой зададите новый пароль.
page-forgotten-sent = Если учётная запись с этим адресом есть, письмо отправлено.
page-reset = Новый пароль
page-invitation = Принять приглашение
page-invitation-note = Укажите имя и задайте пароль. После этого вы войдёте в систему.
page-address = Подтвердить адрес
page-address-note = Кнопка подтверждает, что адрес принадлежит вам.
page-address-done = Адрес подтверждён.
page-unlock = Запомнить этот браузер
page-unlock-note = Кнопка делает этот браузер известным. Затем войдите: пароль проверяется без задержки.

page-yes = да
page-no = нет
page-new = Добавить
page-edit = Изменить
page-save = Сохранить
page-done-made = Запись добавлена: { $what }
page-done-entered = Добавлено записей: { $number }
page-done-saved = Запись сохранена: { $what }
page-done-deleted = Запись удалена: { $what }
page-delete = Удалить
page-delete-note = Запись удаляется навсегда, если она не нужна другим записям.
page-cancel = Отмена
page-once = Это показано здесь один раз и больше не появится. Скопируйте сейчас и храните там, где этого не прочтут другие.
page-once-go = К записи
page-download = Скачать файл
page-moves = Что можно сделать
page-move-choose = Что произошло?
page-passes =
    { $count ->
        [1] Животное { $record } сразу перейдёт
       *[other] Животные { $record } сразу перейдут
    } к получателю: { $receiver }. Получателю придёт уведомление. { $side ->
        [association] Отменить запись может тот, кто её сделал,
       *[farm] Он может возразить, а тот, кто сделал запись, – отменить её
    } в течение { $days ->
        [one] { $days } дня
       *[other] { $days } дней
    }.
page-passes-outside =
    { $count ->
        [1] Животное { $record } выбывает
       *[other] Животные { $record } выбывают
    } из книги: получатель { $receiver } в ней не участвует. Запись может отменить тот, кто её
    сделал, в течение { $days ->
        [one] { $days } дня
       *[other] { $days } дней
    }.
page-passes-unnamed =
    Животное { $record } выбывает из книги, получатель не указан. Запись может отменить тот, кто её
    сделал, в течение { $days ->
        [one] { $days } дня
       *[other] { $days } дней
    }.
page-passes-by-lease = При аренде владельцем животного в книге становится арендатор, пока не записан возврат.
page-later = Записано позже этого дня: { $what }
page-unfit-receiver = Этот получатель не принимает животных: выберите хозяйство или станцию искусственного осеменения.
page-undo = Отменить
    .done = Отменено
page-undo-back =
    { $kind ->
        [death] Отменить запись о падеже
       *[other] Вернуть животное владельцу { $giver }
    }
page-undo-keep =
    { $kind ->
        [sale] Оставить продажу
        [lease] Оставить аренду
        [cull] Оставить выбраковку
       *[other] Оставить запись
    }
page-objected = Покупатель возразил
page-objected-note = Получатель { $receiver } возразил против этого перемещения, поэтому животное { $record } числится за владельцем { $giver }. Перемещение и возражение остаются в книге: удалить их может только Ассоциация.
page-record-lease = Отметить аренду
    .then = Если арендатор участвует в книге, животное сразу переходит к нему: в книге он становится владельцем, пока возврат не записан как обратная аренда. Арендатору придёт уведомление. Если не участвует, животное выбывает из книги. Отменить запись сможете только вы (в течение 30 дней) и Ассоциация.
    .objects = Арендатор может возразить в течение 30 дней.
page-until = до { $date }
page-undo-note = Животное { $record } снова у владельца { $giver } и числится живым, как до этой записи. Сама запись удаляется.
page-ways = Связанные записи
page-as-json = JSON
page-files = Файлом
page-file-xlsx = Excel
page-file-csv-ru = CSV для Excel
page-file-csv = CSV
page-file-csv-programs = CSV для программ
page-file-ndjson = NDJSON
page-filters = Фильтры
page-columns = Столбцы
page-search = Поиск
page-whose = Чьи записи
page-own = Наши
page-all = Все
page-columns-usual = Обычные столбцы
page-columns-other = Прочие
page-clear = Сбросить
page-none = Ничего не найдено.
page-pages = Страницы
page-previous = Назад
page-next = Вперёд
page-more-fields = Другие поля
page-earlier = Более ранние
page-file = Файл
page-faults = Сохранить нельзя. Замечания стоят у полей.
page-findings-asked = Проверки нашли замечания. Исправьте данные или сохраните как есть.
page-finding-elsewhere = О другой записи ({ $what }), вероятно, из-за введённого здесь: { $message }
page-save-anyway = Всё равно сохранить
page-unknown-record = Записи с номером или названием «{ $text }» нет, или она вам недоступна.
page-unknown-animal = Животного с номером или кличкой «{ $text }» в книге нет, или оно вам недоступно.
page-which-one = Какое животное имеется в виду? Выберите.
page-save-and-next = Сохранить и ввести следующую
page-save-and-next-page = Сохранить и перейти на следующую страницу
page-grid = быстрый ввод
page-grid-show = Показать
page-grid-cards = Карточки этих животных
page-grid-note = Строки без значений не сохраняются. Животных, которых нет в списке, впишите в последние строки.
page-grid-each = Запись получит каждое животное списка. В его строке указывают то, что относится только к нему.
page-grid-kind = Выберите вид и нажмите «Показать»: тогда можно выбрать подходящую причину.
page-grid-unfit = Из выбранных животных сюда не подходят: { $number }
page-grid-nowhere = Укажите стадо и нажмите «Показать» или впишите номера животных.
page-grid-empty = Сохранять нечего: ни одна строка не заполнена.
page-grid-too-many = За один раз можно сохранить не больше 100 строк.
page-grid-entered = За этот день уже есть запись.
page-grid-row = строка { $number }
page-grid-over = Поместились не все строки: то, что ниже последней строки, не вставлено.
page-births = Телята
page-births-service = Последнее осеменение
page-births-enter = Внести телёнка
page-births-unserved = Нет записанного осеменения, от которого этот отёл (за { $least }–{ $most } дней до него; с отрицательной проверкой не считаются): выберите отца или оставьте поле пустым.
page-several-records = Записей с названием «{ $text }» несколько. Укажите номер.

page-pedigree = Родословная
page-closed = закрыто
page-preview-left-out = не читается
page-preview-sheets = Листы и столбцы
page-notation-slash-day-first = сначала день, как видно по значениям
page-notation-slash-month-first = сначала месяц, как видно по значениям
page-notation-slash-undecided = сначала день, хотя по значениям этого не видно
page-notation-slash-contradicts = даты с косой чертой противоречат друг другу: их строки задержаны
page-notation-hyphen-day-first = с дефисами сначала день, как видно по значениям
page-notation-hyphen-month-first = с дефисами сначала месяц, как видно по значениям
page-notation-hyphen-undecided = с дефисами сначала день, хотя по значениям этого не видно
page-notation-hyphen-contradicts = даты с дефисами противоречат друг другу: их строки задержаны
page-notation-digits-days = цифры подряд — год, месяц, день
page-notation-digits-serials = номера дней электронной таблицы
page-notation-digits-unread = одни цифры не читаются как даты: другие значения записаны иначе
page-notation-short-years = годы из двух цифр
page-notation-decimal-comma = дробная часть после запятой, точка отделяет тысячи
page-notation-decimal-point = дробная часть после точки, запятая отделяет тысячи
page-notation-decimal-either = дробная часть после запятой или точки
page-notation-decimal-undecided = дробная часть после запятой или точки, хотя по значениям не видно, что это не тысячи
page-notation-decimal-contradicts = знаки в числах противоречат друг другу: их строки задержаны
page-age = { $days ->
        [0] сегодня
        [one] { $days } день
        [few] { $days } дня
       *[other] { $days } дней
    }
page-decision = Что сделает одобрение
page-decision-trust = Животные, которые не задержаны, считаются подтверждёнными Ассоциацией.
page-decision-certificate = Животные, которые не задержаны, считаются подтверждёнными Ассоциацией. Свидетельство этим не выдаётся: его выдают, когда выполнены все его условия.
page-decision-registration = Животные, которые не задержаны, записываются в книгу и получают номера.
page-decision-correction = Предложенные значения записываются, кроме задержанных животных.
page-decision-membership = Хозяйство становится членом Ассоциации.
page-decision-held = Задержаны
page-decision-lacking = У них нет категории, и номера они не получат, поэтому заявку пока нельзя одобрить
page-decision-silent = Замечания, которые никого не задерживают: хозяйство их не видит
page-decision-notes = Замечания к сведению, которые никого не задерживают
page-review-reading = Файл ждёт чтения или читается. Что стало с его строками, появится здесь.
page-unread-columns = Не прочитаны столбцы
page-question-unit = Единица этих значений –
page-question-signs = Считать числа после таких знаков как есть?
page-question-held = Строки с такими значениями ждут ответа.
page-question-yes = Да
page-question-no = Нет, как записано
page-sent-back = Возвращён
page-review-sent-back = Ассоциация вернула пакет
page-review-unread = Файл не прочитан
page-review-unread-then = В книгу ничего не записано, если ниже нет строк. Исправленный файл отправьте новым пакетом.
page-review-unchecked = Проверки этого пакета ещё не закончены.
page-review-again = Посмотреть ещё раз
page-picture = Снимок
page-exchange-word-anonymous = Без входа
page-exchange-word-farm = Хозяйство
page-exchange-word-association = Ассоциация
page-exchange-word-rest = REST
page-exchange-word-graphql = GraphQL
page-exchange-word-ade = Обмен (ADE)
page-exchange-word-service = Служебные
page-exchange-word-documents = Документы обмена
page-exchange-word-batches = Партии
page-exchange-word-letters = Письма
page-exchange-word-webhooks = Веб-хуки
page-exchange-word-off = Выключен
page-exchange-word-delivered = Доставляет
page-exchange-word-failing = С ошибками
page-exchange-word-waiting = Ждёт
page-exchange-seconds = с
page-exchange-minutes = мин
page-exchange-hour = ч
page-exchange-days = сут
page-timeline = Лента времени
page-unknown = неизвестно
page-history = История
page-protocol = Протокол
page-signed = Подписанные строки
page-certificate = Свидетельство
page-preview = Сначала проверить файл
page-proposed = Предлагается
page-preview-choose = Если столбец понят не так, выберите, что он значит, и проверьте файл ещё раз.
page-preview-means = Что значит
page-preview-written = Как записано
page-preview-samples = Примеры
page-preview-as-read = как есть
page-preview-leave-out = не читать
page-preview-by-mapping = как вы указали
page-preview-by-decision = решение Ассоциации
page-preview-by-book = по таблице этой книги
page-preview-by-heading = по заголовку
page-preview-by-path = по пути поля
page-preview-decides = решила строка
page-no-file = Выберите файл.
page-choose-file = Выбрать файл и отправить
page-preview-rows = Строк в файле
page-preview-tried = Проверено строк
page-preview-created = Новых записей
page-preview-updated = Изменённых записей
page-preview-unchanged = Без изменений
page-preview-skipped = Пропущено
page-preview-held = Задержано
page-preview-unknown = неизвестно
page-preview-columns = Неизвестные столбцы не читаются. Когда файл отправлен, Ассоциация решает, что они значат.
page-preview-faults = Что не так
page-preview-line = Строка
page-preview-ident = Животное
page-preview-column = Столбец
page-preview-value = Значение
page-preview-fault = Замечание
page-preview-expected = Что ожидается

page-share = Эта ссылка показывает:
page-share-until = Она действует до
page-share-ended = По этой ссылке ничего не показано. Попросите новую у того, кто её дал.

page-herd-mean = Среднее по стаду
page-herd = Стадо по месяцам
page-docs = Все операции REST и обмена. Откройте операцию, чтобы прочесть её описание и попробовать её.
page-docs-search = Поиск операций
page-docs-of-data-sets = Наборы данных
page-docs-of-locations = Хозяйства
page-docs-of-server = Сервер
page-docs-of-sign-in = Вход
page-docs-operations = Операции
page-protocol-pdf = Протокол (PDF)
page-certificate-pdf = Свидетельство (PDF)
page-many-check = Проверить
page-many-ready = Будет создано: { $number }
page-many-made = Создано: { $number }
page-many-left = Пропущено: { $number }
page-many-open = уже есть
page-many-not-registered = не участвует в книге
page-many-refused = не подходит
page-certificate-issue = Выдать
page-conditions-met = Все условия выполнены.
page-conditions-unmet = Выполнены не все условия.
page-certificates-issued = Свидетельства
page-certificate-valid = действует
page-condition-request = Запросить
page-condition-package = Отправить файл с этими данными
page-condition-met = Выполнено
page-condition-unmet = Не выполнено
page-card-pdf = Карточка (PDF)

page-no-json = Это не JSON; см. строку { $line }.
page-note-json = JSON; текст стоит в кавычках.
page-note-none = Подходящих записей нет.
page-note-relations = По одному номеру или имени в строке.
page-note-texts = По одной записи в строке.
page-help = Справка
page-help-server = Заполняет книга.
page-help-range = Допустимо от { $least } до { $most }.
page-help-since = Не раньше { $year } года.
page-help-entries =
    { $count ->
        [one] Не больше { $count } записи.
       *[other] Не больше { $count } записей.
    }
page-help-relation = Впишите номер, кличку или название либо № и номер записи: № 12.
page-help-unique = У двух записей не может быть одного значения.
page-help-once = Заполняется один раз и потом не меняется.
page-help-locked = Когда Ассоциация подтвердила или зарегистрировала животное, хозяйство меняет это заявкой.
page-help-association = Заполняет только Ассоциация.
page-help-team = Заполняют только те, кто ведёт состав организации.
page-help-admin = Заполняет только администратор Ассоциации.
page-add-row = Добавить строку
page-remove-row = Убрать строку { $number }

page-review-sum-rows =
    { $count ->
        [one] { $count } строка
        [few] { $count } строки
       *[other] { $count } строк
    }
page-review-sum-taken =
    { $count ->
        [one] принята { $count }
       *[other] принято { $count }
    }
page-review-sum-held = исправить { $count }
page-review-sum-skipped =
    { $count ->
        [one] пропущена { $count }
       *[other] пропущено { $count }
    }
page-review-sum-unread =
    { $count ->
        [one] не прочитан { $count } столбец
        [few] не прочитаны { $count } столбца
       *[other] не прочитано { $count } столбцов
    }
page-review-sum-questions =
    { $count ->
        [one] { $count } вопрос о столбцах
        [few] { $count } вопроса о столбцах
       *[other] { $count } вопросов о столбцах
    }
page-comment-send = Отправить комментарий
    .done = Комментарий отправлен
page-template-sheet = Что значат столбцы
page-template-column = Столбец
page-template-needed = Обязателен
page-template-values = Что может стоять
page-template-must = да
page-template-one-of = хотя бы один из таких
page-templates = Шаблоны файлов для заполнения
page-templates-note = В каждом есть обычные столбцы этих данных, а в книге Excel — второй лист, где сказано, что в них может стоять. Ненужные столбцы можно удалить.
page-review-findings = Что нашли проверки
page-review-none = Проверки ничего не нашли.
page-review-rows = Строки, как они присланы
page-review-all = Все
page-review-decide = Решить
page-review-mend = Строки с причинами рядом, файлом: исправьте ячейки и пришлите файл новым пакетом.
page-review-mend-way = Исправить любую ячейку задержанных строк
page-review-mend-here = Исправьте ячейки задержанных строк и отправьте их ещё раз: читаются только эти строки, так же, как столбцы файла. Если дата может читаться двояко, пишите 05.06.2025.
page-review-send-again = Отправить ещё раз
    .done = Строки отправлены ещё раз
page-review-was = В файле
page-review-tell = Указать все
    .done = Замечания добавлены
page-review-tell-note = Пакет подписывают, когда в его проверке указано каждое животное, у которого что-то нужно исправить. Кнопка добавит тех, кого там ещё нет.
page-review-tell-late = Пакет подписан или решение принято: его рассмотрение больше не меняется.
page-sample = Случайные строки
page-sample-rows = Сколько строк выбрать случайно
page-sample-draw = Выбрать
page-sample-same = Те же строки ещё раз
page-sample-note = Для сверки с бумагой. Эти строки никто не выбирал: они следуют из числа { $seed }.

page-saved = Сохранённые выборки
page-saved-none = Сохранённых выборок пока нет.
page-saved-name = Название этой выборки
page-saved-save = Сохранить эту выборку
page-saved-delete = Удалить

page-find-any = Номер или имя
page-find-none = Ничего с таким номером или именем нет, или оно вам недоступно.
page-find-short = Введите номер или имя.
page-pictures = Снимки
page-sight = Кто ещё может это видеть
page-sight-none = Ни доступ, ни согласие, ни ссылка не открывают это другим.
page-sight-herd = вместе со всем стадом

page-exchange-title = Кто обменивается
page-exchange-at = На
page-exchange-since = с
page-exchange-others = У других процессов последней минуты нет.
page-exchange-hours = Запросы по часам
page-exchange-made = выполнено
page-exchange-same = без изменений (304)
page-exchange-errors = ошибки
page-exchange-clients = Клиенты
page-exchange-client = Клиент
page-exchange-account = учётная запись
page-exchange-key = ключ API
page-exchange-face = Интерфейс
page-exchange-last = Последнее обращение
page-exchange-requests = Запросов
page-exchange-polls = Опросов в час
page-exchange-unchanged = 304
page-exchange-lag = Отставание
page-exchange-limited = Сверх лимита
page-exchange-feeds = Ленты
page-exchange-dataset = Набор данных
page-exchange-told = Сообщено до
page-exchange-newest = Последнее
page-exchange-batches = Партии с отказами
page-exchange-batch = Партия
page-exchange-sent = Отправлена
page-exchange-refused = Отклонено
page-exchange-done = Выполнено
page-exchange-items = Из
page-exchange-webhooks = Веб-хуки
page-exchange-webhook = Веб-хук
page-exchange-host = Получатель
page-exchange-state = Состояние
page-exchange-failures = Неудач
page-exchange-delivered = Доставлено
page-exchange-queues = Что ожидает
page-exchange-queue = Очередь
page-exchange-depth = Ожидает
page-exchange-age = Самое старое

page-expected-int-between = Целое число от { $least } до { $highest }.
page-expected-int = Целое число.
page-expected-number-between = Число от { $least } до { $highest }.
page-expected-number = Число.
page-expected-day = День: 31.12.2025 или 2025-12-31.
page-expected-instant = День и время: 31.12.2025 06:30.
page-expected-bool = Да или нет.
page-expected-option = Одно из: { $words }.
page-expected-related = Номер, код или имя из книги: { $name }.
page-expected-text = Текст не длиннее { $length } знаков.

page-partners = Партнёрам
page-partners-short = как программе начать: первые запросы, которые можно скопировать
page-partners-note = Выберите, чем является ваша программа. Каждая страница ведёт от учётной записи до первых отправленных и прочитанных документов; запросы можно скопировать для curl, Python, TypeScript и C#.
page-partners-more = Справочно
page-partners-discovery = что предлагает сервис, для программ
page-partner-farm = Программа хозяйства
page-partner-farm-note = Программа управления стадом держит свои записи в согласии с книгой: читает животных и всё, что с ними происходит, и отправляет то, что записано в хозяйстве.
page-partner-robot = Доильный робот или доильный зал
page-partner-robot-note = Читает животных хозяйства и отправляет каждое доение.
page-partner-laboratory = Лаборатория
page-partner-laboratory-note = Отправляет результаты проб хозяйствам, которые дали ей доверенность, и ничего о них не читает.
page-partner-recording = Организация по учёту молочной продуктивности
page-partner-recording-note = Отправляет контрольные доения хозяйств, которые дали ей доверенность.
page-partner-registry = Другая племенная книга
page-partner-registry-note = Другая книга или научная организация находит быков и читает то, что ей открыто, и то, что изменилось с прошлого запроса.
page-partner-language = Язык примеров
page-partner-copy = Скопировать
page-partner-copied = Скопировано
page-partner-key = Получите ключ
page-partner-key-note = Учётная запись появляется по приглашению. Войдите один раз и создайте ключ, которым пользуется только ваша программа и который открывает лишь то, что ей нужно. Ключ показан в этом ответе и больше нигде.
page-partner-mandate = Получите доверенность
page-partner-mandate-note = Доверенность создаёт хозяйство или за него Ассоциация: в ней названы ваша организация и наборы данных, которые вы отправляете. Она не даёт права чтения и кончается, когда так решит хозяйство.
page-partner-mandate-make = Создать доверенность
page-partner-head = Начало программы
page-partner-head-note = Запросы ниже продолжают его. Подставьте свой ключ и значения, написанные заглавными буквами.
page-partner-locations = Какие места ваши
page-partner-locations-note = Место – это хозяйство. Под ним стоит каждая коллекция обмена.
page-partner-read = Прочитайте
page-partner-read-note = Список приходит страницами. Идите по view.next, пока он есть.
page-partner-send = Отправьте один документ
page-partner-send-note = meta.source и meta.sourceId – ваше собственное имя документа. Отправленный снова под тем же именем документ исправляется, с meta.isDeleted – отзывается. 201 – новый, 200 – уже был.
page-partner-allowed = Вашей учётной записи доступно для
page-partner-batch = Отправьте много
page-partner-batch-note = Не больше { $most } документов. Каждый принимается или отклоняется сам по себе: в ответе есть результат для каждого, в том же порядке. Второй здесь называет животное, которого нет.
page-partner-refused = Как выглядит отказ
page-partner-refused-note = У ошибки есть неизменный код, предложение и JSON-указатель на неверный элемент. Русские предложения приходят по Accept-Language.
page-partner-feed = Следите за лентой
page-partner-feed-note = Без токена лента начинается сначала. Сохраняйте токен последнего элемента вместе со страницей и продолжайте с него; когда последний элемент говорит, что новее ничего нет (current), ждите столько, сколько указано в Poll-Interval. Отправляйте метку последнего ответа в If-None-Match: 304 значит, что нового нет.
page-partner-bull = Найдите быка
page-partner-bull-note = По любому номеру животного мужского пола. То, что вам не открыто, не находится.
page-partner-changed = Прочитайте, что изменилось
page-partner-changed-note = Записи, изменённые с прошлого запроса, начиная со старых. Сохраните последний updatedAt и продолжайте с него. В списке то, что вам открыто.
page-partner-limits = Пределы
page-partner-limits-note = На странице не больше { $page } документов, на странице ленты не больше { $changes }; wait – до { $wait } секунд. RateLimit говорит, сколько запросов осталось.
page-partner-faults = После 429 и 503 ждите столько, сколько указано в Retry-After, и отправьте то же снова. После 400, 401, 404 и 422 повторять бесполезно: сообщите человеку.

page-progress = Выполнено
page-works = Скорость работ над всей книгой, строк в секунду
page-work-load = Загрузка
page-work-reproject = Документы обмена
page-work-recompute = Расчётные значения
page-work-checks = Проверки
page-work-evaluation = Племенная ценность

page-evaluation = Племенная ценность и индексы
page-evaluation-way = Что значат эти числа
page-evaluation-means = Что значит число
page-evaluation-value = Племенная ценность показывает, насколько гены животного повышают или понижают признак по сравнению с базой, в единицах признака. От коровы с ценностью +400 кг молока ждут на 400 кг больше, чем от коровы базы в том же стаде и году.
page-evaluation-calf = Телёнок наследует половину: его ожидаемая ценность – среднее ценностей родителей.
page-evaluation-not = Племенная ценность – не удой: в хорошем стаде высоки удои и у животных со средней ценностью. Сравнивайте значения одного признака и одной базы; у другой страны или другого центра шкала иная.
page-evaluation-from = Из чего она рассчитана
page-evaluation-records = Из всех записей о признаке в книге и всех известных родителей сразу. Родственники говорят друг о друге тем больше, чем ближе родство.
page-evaluation-apart = Ненаследуемое вычитается: стадо, год и сезон, номер лактации, возраст и то, что остаётся у одной коровы. Поэтому животное сравнивается с другими из своего стада в то же время.
page-evaluation-unknown = Неизвестные родители не считаются средними: у животных, рождённых в одной стране в одни годы, они составляют группу, среднее которой оценивается по всему её потомству.
page-evaluation-few = Если записей мало, значение близко к среднему родителей; без записей оно равно ему. С новыми записями оно меняется, и вверх, и вниз одинаково часто.
page-evaluation-sure = Насколько она надёжна
page-evaluation-reliability = Достоверность от 0 до 100 % показывает, какую долю настоящих различий объясняют значения. У двух животных из трёх настоящая ценность отличается не больше чем на обычную ошибку. Ниже – удой при генетическом отклонении 600 кг.
page-evaluation-reliable = Достоверность, %
page-evaluation-who = У кого она такая
page-evaluation-error = Обычная ошибка, кг молока
page-evaluation-nothing = о животном и его родственниках ничего не известно
page-evaluation-parents = родители с оценкой, своих записей ещё нет
page-evaluation-cow = корова с одной или несколькими лактациями
page-evaluation-bull = бык, у которого около 50 дочерей в нескольких стадах
page-evaluation-proven = бык, у которого около 250 дочерей
page-evaluation-choose = Выбирайте животных по значению, а по достоверности решайте, сколько поставить на одно из них. Пять молодых быков вместе надёжнее любого из них.
page-evaluation-indexes = Что значит индекс
page-evaluation-sum = Индекс складывает племенные ценности животного с весами профиля, как отклонения от действующей базы. Он отвечает на один вопрос: какое животное лучше для этой цели.
page-evaluation-percentile = Животные сравниваются с ровесниками того же года рождения, а если их меньше 30, то со всеми. Процентиль – доля тех, у кого значение ниже; место 1 – у самого высокого. Если сравниваемых меньше пяти, ни то ни другое не показано.
page-evaluation-closed = Значения животного видит тот, кому открыта его оценка. Значения по профилю хозяйства видят только оно и Ассоциация.
page-evaluation-rankings = Животные по местам
page-evaluation-bulls = быки
page-evaluation-cows = коровы
page-evaluation-in-force = Что действует
page-evaluation-run = Последний утверждённый расчёт и что он дал по каждому признаку:
page-evaluation-no-run = Ни один расчёт Ассоциации ещё не утверждён.
page-evaluation-other-indexes = Другие индексы
page-evaluation-base = База индексов:
page-evaluation-borrowed = заимствована у другой популяции.
page-evaluation-base-of-run = Ассоциация, { $day }
page-evaluation-trait = Признак
page-evaluation-number = Племенная ценность
page-evaluation-same-year = из { $cohort } ровесников
page-evaluation-all = из { $cohort }

page-kinship = Родство
page-kinship-with = Родство с (номер или кличка)
page-kinship-ask = Сравнить
page-kinship-calf = Ожидаемый инбридинг телёнка, %
page-kinship-one-sex = нет: оба одного пола
page-kinship-related = Родство, %
page-kinship-inbreeding = Инбридинг второго животного, %
page-kinship-depth = Полнота родословной второго животного, полных поколений
page-kinship-ancestors = Общие предки и их доля в родстве
page-kinship-note = Полубратья и полусёстры родственны на 25 %. Два животных с короткими родословными кажутся чужими, потому что о них ничего не известно.

page-mating = План подбора
page-mating-note = План даёт быка стольким самкам, скольким позволяют ограничения, с наибольшей суммой ожидаемых значений и затем с наименьшим инбридингом.
page-mating-females = Самки
page-mating-bulls = Быки
page-mating-stock = Все быки со спермой в наличии вместо быков выше
page-mating-goal = Цель
page-mating-least = Наименьший инбридинг
page-mating-weights = Веса признаков на единицу вместо профиля
page-mating-doses = Число доз спермы в наличии пишется после знака равенства: Омега = 20.
page-mating-store = Сохранить план для программ хозяйства
page-mating-stored = Сохранено рекомендаций: { $number }
page-mating-inbreeding = Наибольший ожидаемый инбридинг телёнка, % (если пусто – 6,25)
page-mating-uses = Самок на одного быка не больше
page-mating-carriers = Носителей одного дефекта можно спаривать
page-mating-make = Составить план
page-mating-mated = Самок с быком: { $number }
page-mating-unmated = Самок без быка: { $number }
page-mating-others = Следующие быки
page-mating-left = Не участвуют в плане

# Названия записей: что это, о ком, и номер
title-of = { $whom }, { $what }
title-ordinal = { $count }-й { $what }
closed-of-association = сотрудник Ассоциации
closed-of-farm = сотрудник хозяйства
closed-user = пользователь, имя закрыто

# Карточка животного
card-tabs = Разделы карточки
card-tab-overview = Обзор
card-tab-pedigree = Родословная
card-tab-production = Продуктивность
card-tab-reproduction = Воспроизводство
card-tab-health = Здоровье
card-tab-evaluation = Оценка
card-tab-documents = Документы
card-tab-history = Изменения
card-enter = Внести
card-enter-calvings = Отёл
card-enter-inseminations = Осеменение
card-enter-milkTests = Контрольное доение
card-enter-weighings = Взвешивание
card-enter-healthEvents = Лечение
card-enter-movements = Выбытие
card-enter-more = Внести другое
card-list-calvings = Отёлы, аборты, запуски
card-list-children = Потомство
card-list-services = Осеменения этим быком
card-facts = Главное
card-passport = Паспорт и номера
card-findings = Замечания
card-empty = Здесь пока нечего показать.
card-latest = последние
card-all = все { $count }
page-as-table = Таблицей
page-chart-line = Линия

# Lists: conditions, and deeds with many rows
page-conditions = Условия этого списка
page-operator = условие
page-operator-contains = содержит
page-operator-equals = равно
page-operator-not-equals = не равно
page-operator-like = содержит слова
page-operator-not-like = не содержит
page-operator-greater-than = больше
page-operator-greater-than-equal = не меньше
page-operator-less-than = меньше
page-operator-less-than-equal = не больше
page-operator-since = с
page-operator-until = по
page-operator-in = одно из
page-operator-not-in = ни одно из
page-operator-all = содержит всё из
page-operator-has = содержит
page-operator-lacks = не содержит
page-operator-filled = заполнено
page-operator-empty = не заполнено
page-and = и
page-or = или
page-any = Хотя бы одно из условий
page-field = Поле
page-add-condition = Добавить условие
page-add-any = Добавить группу «или»
page-add-alternative = Добавить в группу
page-take-out = Убрать
page-no-field = Такого поля нет.
page-no-value = Значение не понято.
page-refused-field = По этому полю здесь отбирать нельзя.
page-not-understood = Условие не понято, поэтому поиск не выполнен. Смотрите замечание рядом с ним.
page-only = Только такие
page-tick = Отметить
page-tick-all = Отметить все на странице
page-with-ticked = С отмеченными…
page-with-all = Со всеми в списке…
page-sizes = Строк на странице
page-nothing-ticked = Ничего не отмечено. Вернитесь и отметьте строки списка.
page-deeds = Действия с несколькими записями
page-together = не больше { $count } за раз: сузьте список
page-change-many = Изменить значение
page-change-choose = Выбрать
page-change-make = Изменить
page-change-ready = Будет изменено: { $number }
page-changed = Изменено: { $number }
page-approve = Одобрить
page-approve-ready = Будет одобрено: { $number }
page-approved = Одобрено: { $number }
page-change-refused = Отказано: { $number }
page-change-others = Не ваши, не изменяются: { $number }
page-delete-ready = Будет удалено: { $number }
page-deleted = Удалено: { $number }
page-delete-others = Не ваши, не удаляются: { $number }
page-delete-along = Вместе с ними будут удалены:
page-delete-uncounted = Не удалось посчитать, что будет удалено вместе с ними.
page-delete-count-again = Попробовать ещё раз
page-delete-many-note = Записи удаляются навсегда.
page-change-empty = Пустое значение удаляет то, что записано.

# Первые шаги
page-steps = Первые шаги
page-steps-note = с чего начать, по порядку
page-steps-farm = Хозяйству
page-steps-association = Ассоциации
page-steps-visitor = Посетителям и партнёрам
page-step-account = Проверьте свою учётную запись
    .how = Выберите язык и письма, которые хотите получать, и защитите вход вторым фактором или ключом доступа.
page-step-animals = Просмотрите своих животных
    .how = В списке стоит ваше стадо. Выберите столбцы, задайте условия, сохраните список файлом. Поле вверху каждой страницы находит животное по любому номеру и кличке. Карточка печатается на одном листе.
page-step-package = Отправьте первый пакет
    .how = Нажмите «Добавить» над списком и выберите файл своей программы учёта: книгу Excel, CSV или другой. «Сначала проверить файл» показывает, что станет с каждым столбцом и строкой, ещё до отправки. Что принять не удалось, исправляют на странице пакета.
page-step-events = Внесите события вручную
    .how = На карточке животного есть кнопки для отёла, осеменения, контрольного доения, взвешивания и лечения. Для многих животных сразу есть быстрый ввод над списками контрольных доений, взвешиваний и осеменений. Вопросительный знак у поля говорит, что оно значит.
page-step-work = Каждое утро смотрите списки работ
    .how = На главной стоят коровы на запуск, ожидаемые отёлы, проверки на стельность и другая работа по стаду; списки можно напечатать и взять в календарь. Там же то, что ждёт вашего ответа.
page-step-findings = Исправьте то, что нашли проверки
    .how = Проверки сравнивают ваши записи между собой. Замечание с важностью «Исправить» задерживает пакет или заявку; остальные достаточно просмотреть.
page-step-request = Обратитесь в Ассоциацию
    .how = Заявкой вступают в Ассоциацию, подтверждают и записывают в книгу животных, просят свидетельство, исправляют закрытые поля.
page-step-colleague = Пригласите коллегу
    .how = Нажмите «Добавить», впишите адрес почты и выберите, что этому человеку можно делать. Приглашение действует 14 дней.
page-step-program = Подключите программу
    .how = Выберите, чем является ваша программа: страница ведёт к ключу для неё и к первым запросам.
page-step-share = Покажите животных покупателю
    .how = Ссылка для просмотра открывает выбранных животных всем, у кого она есть, до указанного вами дня, без учётной записи.
page-step-queue = Посмотрите, что ждёт
    .how = На главной стоят очереди пакетов, заявок и других дел, сначала самые старые, и качество данных по хозяйствам. Отметьте строки и возьмите их: тогда отвечаете за них вы.
page-step-review = Проверьте и подпишите пакет
    .how = Возьмите пакет, посмотрите замечания и случайные строки, укажите, что должно исправить хозяйство. Затем подпишите или верните с комментарием. Подписанный пакет принимается, как только хозяйство согласится.
page-step-decide = Решите по заявке
    .how = Страница заявки говорит, что сделает одобрение, каких животных оно не коснётся и почему.
page-step-certificate = Выдайте свидетельства
    .how = Условия стоят на карточке животного, за кнопкой «Свидетельство». Для многих животных сразу начните с их списка.
page-step-settings = Задайте пороги проверок
    .how = Над каждым списком стоит, что действует, что встроено и что допустимо. Строка списка заменяет встроенное значение; выключить или смягчить проверку можно здесь:
page-step-run = Рассчитайте племенную ценность
    .how = Расчёт идёт по записям книги. Пока вы не утвердите его результаты, вне Ассоциации их не видит никто.
page-step-base = Введите в действие базу сравнения
    .how = Новая база сравнивается с действующей. Посмотрите сравнение и введите её в действие: все индексы будут рассчитаны заново.
page-step-invite = Пригласите людей
    .how = Пригласите сотрудников Ассоциации и руководителя хозяйства; остальных приглашает руководитель.
page-step-look = Посмотрите книгу
    .how = Здесь то, что открыто всем: животные, которых открыли владельцы, с родословной и оценками, и справочники.
page-step-search = Найдите животное
    .how = Впишите любой номер или кличку в поле вверху страницы. Свидетельство проверяют по коду, который на нём напечатан.
page-step-values = Прочтите, что значит племенная ценность
    .how = Страница объясняет оценки, достоверность и индексы и называет действующую базу.
page-step-enter = Войдите
    .how = Вас приглашает по почте руководитель вашей организации или Ассоциация. Хозяйство без учётной записи обращается в Ассоциацию.
page-step-partner = Подключите программу
    .how = Разработчикам программ для хозяйств и доильных роботов, лабораториям, службам контроля и другим книгам: от учётной записи до первых запросов.
page-step-interface = Прочтите описание интерфейса
    .how = Все операции с их полями; каждую можно попробовать на странице.

# Печать
page-print = Печать
page-print-note = Один лист А4: напечатайте эту страницу через браузер.
